import { sql } from 'kysely';
import { batches } from '../../database/batches.ts';
import type { Database, Queries, Transaction } from '../../database/database.ts';
import type { Clock } from '../../database/seams.ts';
import { moveSpaces } from '../../database/search.ts';
import { addReachable, ReachableSet } from '../tree/reachable.ts';
import { MissingObjectError } from '../tree/values.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';
import { uploadBlob } from './blob-uploads.ts';
import { BATCH_BYTES, readChunks } from './blobs.ts';
import { getObjects, padded, storedHashes } from './objects.ts';
import { countSweeps } from './revisions.ts';

/** Hashes or IDs in one statement. A power of two, see `padded`. */
const BATCH_HASHES = 512;

/** Content that an organization already has before a transfer to it, see {@link copyAhead}. */
export interface CopiedContent {
  /** The roots of revisions, and their descendants. */
  walked: ReadonlySet<string>;
  /** Number of sweeps in that organization before the copy. */
  sweeps: number;
}

/**
 * Copies the content of spaces to another organization ahead of the transaction that transfers them, in small
 * transactions between which others write. If the transfer does not complete, a sweep removes the copies.
 *
 * @returns undefined if the transfer itself must copy: little content, or content that is deleted or transferred
 *   meanwhile
 */
export async function copyAhead(
  services: { database: Database; clock: Clock },
  spaces: readonly string[],
  from: string,
  to: string,
): Promise<CopiedContent | undefined> {
  try {
    return await copyContent(services, spaces, from, to);
  } catch (error) {
    // A sweep removed content that was purged or transferred meanwhile: the transfer detects and reports it.
    if (error instanceof MissingObjectError) {
      return undefined;
    }
    throw error;
  }
}

async function copyContent(
  services: { database: Database; clock: Clock },
  spaces: readonly string[],
  from: string,
  to: string,
): Promise<CopiedContent | undefined> {
  const { database } = services;
  const { query } = database;
  const sweeps = await countSweeps(query, to);
  const reachable = new ReachableSet();
  await addReachable(await rootsOf(query, spaces), (hashes) => getObjects(query, from, hashes), reachable);
  if (await isLittle(query, reachable, from)) {
    return undefined;
  }
  for (const hashes of batches(reachable.objects, BATCH_HASHES)) {
    await copyObjectsAhead(database, hashes, from, to);
  }
  for (const hashes of batches(reachable.blobs, BATCH_HASHES)) {
    await copyBlobsAhead(services, hashes, from, to);
  }
  return { walked: reachable.walked, sweeps };
}

/** Whether one transaction can copy all reachable content. */
async function isLittle(queries: Queries, { objects, blobs }: ReachableSet, from: string): Promise<boolean> {
  if (objects.size > BATCH_HASHES || blobs.size > BATCH_HASHES) {
    return false;
  }
  const rows = [
    ...(await objectSizes(queries, from, [...objects])),
    ...(await blobsOf(queries, from, [...blobs])),
  ];
  return rows.reduce((sum, { size }) => sum + size, 0) <= BATCH_BYTES;
}

async function objectSizes(
  queries: Queries,
  organization: string,
  hashes: readonly string[],
): Promise<{ hash: string; size: number }[]> {
  if (hashes.length === 0) {
    return [];
  }
  return await queries
    .selectFrom('objects')
    .select(['hash', sql<number>`octet_length(data)`.as('size')])
    .where('organization', '=', organization)
    .where('hash', 'in', padded(hashes))
    .execute();
}

async function blobsOf(queries: Queries, organization: string, hashes: readonly string[]) {
  if (hashes.length === 0) {
    return [];
  }
  return await queries
    .selectFrom('blobs')
    .select(['hash', 'size', 'content'])
    .where('organization', '=', organization)
    .where('hash', 'in', padded(hashes))
    .execute();
}

async function copyObjectsAhead(
  database: Database,
  hashes: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  const missing = await missingHashes(database.query, 'objects', hashes, to);
  for (const part of parts(await objectSizes(database.query, from, missing))) {
    await database.transaction((trx) => copyObjects(trx, part, from, to));
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  await requireCopies(database.query, 'objects', missing, to);
}

async function copyBlobsAhead(
  services: { database: Database; clock: Clock },
  hashes: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  const { database } = services;
  const missing = await missingHashes(database.query, 'blobs', hashes, to);
  const rows = await blobsOf(database.query, from, missing);
  for (const blob of rows) {
    if (blob.size > BATCH_BYTES) {
      await uploadBlob(services, to, readChunks(database.query, from, blob));
    }
  }
  for (const part of parts(rows.filter(({ size }) => size <= BATCH_BYTES))) {
    await database.transaction((trx) => copyBlobs(trx, part, from, to));
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  await requireCopies(database.query, 'blobs', missing, to);
}

/** @throws MissingObjectError if a copy is missing, since copying a missing row does not fail */
async function requireCopies(
  queries: Queries,
  table: 'objects' | 'blobs',
  hashes: readonly string[],
  to: string,
): Promise<void> {
  const [missingHash] = await missingHashes(queries, table, hashes, to);
  if (missingHash !== undefined) {
    throw new MissingObjectError(missingHash);
  }
}

async function missingHashes(
  queries: Queries,
  table: 'objects' | 'blobs',
  hashes: readonly string[],
  organization: string,
): Promise<string[]> {
  const stored = await storedHashes(queries, table, organization, hashes);
  return hashes.filter((hash) => !stored.has(hash));
}

/**
 * Transfers the content of spaces to another organization: every revision with its search index. The calling function
 * changes the rows of the spaces themselves. Content that the previous organization still needs also remains there; a
 * sweep removes the rest.
 *
 * @param copied content that the other organization already has; if omitted, all content is copied in this
 *   transaction
 */
export async function transferSpaceContent(
  trx: Transaction,
  spaces: readonly string[],
  from: string,
  to: string,
  copied?: CopiedContent | undefined,
): Promise<void> {
  if (spaces.length === 0 || from === to) {
    return;
  }
  const roots = await rootsOf(trx, spaces);
  for (const batch of batches(spaces, BATCH_HASHES)) {
    await trx
      .updateTable('revisions')
      .set({ organization: to })
      .where('space', 'in', padded(batch))
      .execute();
  }
  await copyReachable(trx, roots, from, to, copied);
  await moveSpaces(trx, { spaces, from, to });
}

async function rootsOf(queries: Queries, spaces: readonly string[]): Promise<Set<string>> {
  const roots = new Set<string>();
  for (const batch of batches(spaces, BATCH_HASHES)) {
    const rows = await queries
      .selectFrom('revisions')
      .select('root')
      .distinct()
      .where('space', 'in', padded(batch))
      .execute();
    for (const { root } of rows) {
      roots.add(root);
    }
  }
  return roots;
}

/**
 * Copies content that is reachable from roots of revisions within the database: only trees are read here. Content
 * that was copied before and may have been swept is copied again.
 */
async function copyReachable(
  trx: Transaction,
  roots: ReadonlySet<string>,
  from: string,
  to: string,
  copied: CopiedContent | undefined,
): Promise<void> {
  const walked = (await countSweeps(trx, to)) === copied?.sweeps ? copied.walked : new Set<string>();
  const fresh = roots.difference(walked);
  if (fresh.size === 0) {
    return;
  }
  const reachable = new ReachableSet(walked);
  await addReachable(fresh, (hashes) => getObjects(trx, from, hashes), reachable);
  for (const hashes of batches(reachable.objects, BATCH_HASHES)) {
    await copyObjects(trx, hashes, from, to);
  }
  for (const hashes of batches(reachable.blobs, BATCH_HASHES)) {
    await copyBlobs(trx, hashes, from, to);
  }
}

async function copyObjects(
  trx: Transaction,
  hashes: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  await trx
    .insertInto('objects')
    .columns(['organization', 'hash', 'kind', 'data'])
    .expression((query) =>
      query
        .selectFrom('objects')
        .select([sql<string>`cast(${to} as text)`.as('organization'), 'hash', 'kind', 'data'])
        .where('organization', '=', from)
        .where('hash', 'in', padded(hashes)),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Copies files that the other organization lacks: their chunks first, with the same keys. */
async function copyBlobs(
  trx: Transaction,
  hashes: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  const rows = await trx
    .selectFrom('blobs')
    .select(['hash', 'size', 'content'])
    .where('organization', '=', from)
    .where('hash', 'in', padded(hashes))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('blobs as there')
            .select('there.hash')
            .where('there.organization', '=', to)
            .whereRef('there.hash', '=', 'blobs.hash'),
        ),
      ),
    )
    .execute();
  if (rows.length === 0) {
    return;
  }
  const contents = padded(rows.map(({ content }) => content));
  // The organization may have had them before and be about to delete their chunks.
  await trx
    .deleteFrom('blobUploads')
    .where('organization', '=', to)
    .where('content', 'in', contents)
    .execute();
  await trx
    .insertInto('blobChunks')
    .columns(['organization', 'content', 'index', 'data'])
    .expression((query) =>
      query
        .selectFrom('blobChunks')
        .select([sql<string>`cast(${to} as text)`.as('organization'), 'content', 'index', 'data'])
        .where('organization', '=', from)
        .where('content', 'in', contents),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .insertInto('blobs')
    .values(rows.map((row) => ({ ...row, organization: to })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Splits rows into parts that one transaction can copy. */
function* parts(rows: readonly { hash: string; size: number }[]): Generator<string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const { hash, size } of rows) {
    if (part.length > 0 && bytes + size > BATCH_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(hash);
    bytes += size;
  }
  if (part.length > 0) {
    yield part;
  }
}
