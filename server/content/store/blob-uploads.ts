import { createHash, randomUUID } from 'node:crypto';
import { batches } from '../../database/batches.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../database/seams.ts';
import { BATCH_BYTES, CHUNK_BYTES, MAX_FILE_BYTES, storeChunks } from './blobs.ts';
import { HASHES_PER_STATEMENT, padded } from './objects.ts';

/**
 * Large files, written while they arrive in many small transactions. Until the last one, which adds the content to
 * `blobs`, no file refers to it, and a row of `blobUploads` states that it must be deleted eventually. A sweep leaves
 * the same row, already expired, for a blob: its chunks are deleted in small transactions, too.
 */

/** Maximum duration of writing one file before its chunks count as abandoned. */
export const UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1000;
/** Chunks that one transaction deletes. */
const DELETED_CHUNKS_PER_STATEMENT = 64;
/** Expired contents that are examined together. A power of two, see `padded`. */
const DELETED_BLOBS_PER_STATEMENT = 64;

/** Properties of a file that were determined while storing it. */
export interface UploadedBlob {
  hash: string;
  size: number;
  /** Its first bytes, at most {@link BATCH_BYTES}. */
  head: Uint8Array;
}

/** Stored bytes that no file refers to yet, see {@link storePendingUpload}. */
export interface PendingUpload extends UploadedBlob {
  organization: string;
  /** The key of its chunks. */
  content: string;
}

/** A source exceeds the maximum file size. */
export class FileTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`The file exceeds ${maxBytes} bytes. Use a smaller one.`);
    this.name = 'FileTooLargeError';
  }
}

/**
 * Stores a file while it arrives: at most {@link BATCH_BYTES} of it are in memory, and in one transaction.
 *
 * @throws FileTooLargeError beyond `maxBytes`, and errors of `source`; nothing is retained then
 */
export async function uploadBlob(
  services: { database: Database; clock: Clock },
  organization: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes?: number,
): Promise<UploadedBlob> {
  const { database, clock } = services;
  const upload = await storePendingUpload(services, organization, source, maxBytes);
  try {
    const isNew = await database.transaction((trx) => finishUpload(trx, upload, clock()));
    if (!isNew) {
      await abandonUploads(services, organization, [upload.content]);
    }
    return upload;
  } catch (error) {
    await abandonUploads(services, organization, [upload.content]);
    throw error;
  }
}

/**
 * Stores a file like {@link uploadBlob} except for the last step, `finishUpload`, which belongs in the transaction
 * that starts to use the file. Until then a sweep retains it.
 *
 * @throws like `uploadBlob`
 */
export async function storePendingUpload(
  services: { database: Database; clock: Clock },
  organization: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_FILE_BYTES,
): Promise<PendingUpload> {
  const { database, clock } = services;
  const upload = { organization, content: randomUUID() };
  const expiresAt = new Date(clock().getTime() + UPLOAD_LIFETIME_MS).toISOString();
  const digest = createHash('sha256');
  const head: Uint8Array[] = [];
  let size = 0;
  try {
    await database.query
      .insertInto('blobUploads')
      .values({ ...upload, expiresAt })
      .execute();
    for await (const batch of chunkBatches(source)) {
      const index = size / CHUNK_BYTES;
      for (const chunk of batch) {
        digest.update(chunk);
        size += chunk.byteLength;
      }
      if (size > maxBytes) {
        throw new FileTooLargeError(maxBytes);
      }
      if (index === 0) {
        head.push(...batch);
      }
      await database.transaction((trx) => storeChunks(trx, organization, upload.content, index, batch));
    }
    return { ...upload, hash: digest.digest('base64url'), size, head: Buffer.concat(head) };
  } catch (error) {
    await abandonUploads(services, organization, [upload.content]);
    throw error;
  }
}

/**
 * Converts an upload to a blob. Returns false if the organization already has those bytes.
 *
 * @throws Error if it took so long that it was swept
 */
export async function finishUpload(
  trx: Transaction,
  { organization, content, hash, size }: Omit<PendingUpload, 'head'>,
  now: Date,
): Promise<boolean> {
  const upload = await trx
    .selectFrom('blobUploads')
    .select('expiresAt')
    .where('organization', '=', organization)
    .where('content', '=', content)
    .executeTakeFirst();
  if (!upload || upload.expiresAt <= now.toISOString()) {
    throw new Error('The upload of a file timed out, and its partial content was deleted.');
  }
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('blobs')
    .values({ organization, hash, size, content })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) {
    return false;
  }
  await trx
    .deleteFrom('blobUploads')
    .where('organization', '=', organization)
    .where('content', '=', content)
    .execute();
  return true;
}

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

/** Makes blobs invisible immediately and leaves their chunks to {@link removeExpiredUploads}. Returns their number. */
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
    .returning('content')
    .execute();
  for (const batch of batches(detached, DELETED_BLOBS_PER_STATEMENT)) {
    await trx
      .insertInto('blobUploads')
      .values(batch.map(({ content }) => ({ organization, content, expiresAt: now.toISOString() })))
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

/** Splits a stream into chunks, grouped by transaction. */
async function* chunkBatches(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  for await (const piece of source) {
    for (let at = 0; at < piece.byteLength; ) {
      const part = piece.subarray(at, at + CHUNK_BYTES - filled);
      chunk.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < CHUNK_BYTES) {
        continue;
      }
      batch.push(chunk);
      chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      filled = 0;
      if (batch.length * CHUNK_BYTES < BATCH_BYTES) {
        continue;
      }
      yield batch;
      batch = [];
    }
  }
  if (filled > 0) {
    batch.push(chunk.subarray(0, filled));
  }
  if (batch.length > 0) {
    yield batch;
  }
}
