import { batches } from '../../database/batches.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../database/seams.ts';
import { HASHES_PER_STATEMENT, padded } from './objects.ts';

/**
 * The deletion of bytes that no file refers to. A sweep leaves a row of `blobUploads` for a blob, as an upload does,
 * already expired unless it has an object: its chunks are deleted in small transactions, its object by
 * stored-objects.ts.
 */

/**
 * Time that objects remain after the last file that used them, so that a copy of the bucket contains all objects of a
 * backup that was created before it.
 */
export const OBJECT_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
/** Chunks that one transaction deletes. */
const DELETED_CHUNKS_PER_STATEMENT = 64;
/** Expired contents that are examined together. A power of two, see `padded`. */
const DELETED_BLOBS_PER_STATEMENT = 64;

/** Deletes the chunks of those uploads that no blob refers to. */
export async function abandonUploads(
  { database, clock }: { database: Database; clock: Clock },
  organization: string,
  contents: readonly string[],
): Promise<void> {
  const now = clock();
  try {
    let unfinished = 0n;
    for (const batch of batches(contents, HASHES_PER_STATEMENT)) {
      const { numUpdatedRows } = await database.query
        .updateTable('blobUploads')
        .set({ expiresAt: now.toISOString() })
        .where('organization', '=', organization)
        .where('content', 'in', padded(batch))
        .executeTakeFirst();
      unfinished += numUpdatedRows;
    }
    if (unfinished > 0n) {
      await removeExpiredUploads(database, organization, now);
    }
  } catch {
    // The next sweep deletes them; the original error is the one to report.
  }
}

/**
 * Makes blobs invisible immediately and leaves their chunks to {@link removeExpiredUploads}, and their objects to
 * `removeExpiredObjects`. Returns their number.
 */
export async function detachBlobs(
  trx: Transaction,
  organization: string,
  hashes: readonly string[],
  now: Date,
): Promise<number> {
  const detached = await trx
    .deleteFrom('blobs')
    .where('organization', '=', organization)
    .where('hash', 'in', padded(hashes))
    .returning(['content', 'object'])
    .execute();
  const retainedUntil = new Date(now.getTime() + OBJECT_RETENTION_MS);
  for (const batch of batches(detached, DELETED_BLOBS_PER_STATEMENT)) {
    await trx
      .insertInto('blobUploads')
      .values(
        batch.map(({ content, object }) => ({
          organization,
          content,
          object,
          expiresAt: (object === null ? now : retainedUntil).toISOString(),
        })),
      )
      .execute();
  }
  return detached.length;
}

/** Deletes the chunks of expired contents that no blob refers to, a few per transaction, between which it can stop. */
export async function removeExpiredUploads(
  database: Database,
  organization: string,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  while (await database.transaction((trx) => removeSome(trx, organization, now))) {
    signal?.throwIfAborted();
  }
}

/** @returns whether more may remain */
async function removeSome(trx: Transaction, organization: string, now: Date): Promise<boolean> {
  const expired = await trx
    .selectFrom('blobUploads')
    .select('content')
    .where('organization', '=', organization)
    .where('expiresAt', '<=', now.toISOString())
    .where('object', 'is', null)
    .orderBy('expiresAt')
    .limit(DELETED_BLOBS_PER_STATEMENT)
    .execute();
  if (expired.length === 0) {
    return false;
  }
  const contents = padded(expired.map(({ content }) => content));
  const chunks = await trx
    .selectFrom('blobChunks')
    .select(['content', 'index'])
    .where('organization', '=', organization)
    .where('content', 'in', contents)
    .orderBy('content')
    .orderBy('index')
    .limit(DELETED_CHUNKS_PER_STATEMENT)
    .execute();
  const last = chunks.at(-1);
  if (last) {
    await trx
      .deleteFrom('blobChunks')
      .where('organization', '=', organization)
      .where('content', 'in', contents)
      .where((is) =>
        is.or([
          is('content', '<', last.content),
          is.and([is('content', '=', last.content), is('index', '<=', last.index)]),
        ]),
      )
      .execute();
  }
  if (chunks.length === DELETED_CHUNKS_PER_STATEMENT) {
    return true;
  }
  await trx
    .deleteFrom('blobUploads')
    .where('organization', '=', organization)
    .where('content', 'in', contents)
    .execute();
  return expired.length === DELETED_BLOBS_PER_STATEMENT;
}
