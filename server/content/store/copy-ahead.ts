import { sql } from 'kysely';
import { batches } from '../../database/batches.ts';
import type { Database, Queries } from '../../database/database.ts';
import { requireQuota } from '../../quotas/use.ts';
import { addReachable, ReachableSet } from '../tree/reachable.ts';
import { MissingObjectError } from '../tree/values.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';
import { type UploadServices, uploadBlob } from './blob-uploads.ts';
import { BATCH_BYTES, readChunks } from './blobs.ts';
import { padded, readObjectTexts, storedHashes } from './objects.ts';
import { BATCH_HASHES, copyBlobs, copyObjects, rootsOf } from './organization-copies.ts';
import { countSweeps } from './revisions.ts';

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
 * @throws ContractError 403 if the other organization would have too many bytes
 */
export async function copyAhead(
  services: UploadServices,
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
  services: UploadServices,
  spaces: readonly string[],
  from: string,
  to: string,
): Promise<CopiedContent | undefined> {
  const { database } = services;
  const { query } = database;
  const sweeps = await countSweeps(query, to);
  const reachable = new ReachableSet();
  await addReachable(
    await rootsOf(query, spaces),
    (hashes) => readObjectTexts(query, from, hashes),
    reachable,
  );
  if (await isLittle(query, reachable, from)) {
    return undefined;
  }
  await requireBytes(services, reachable, from, to);
  for (const hashes of batches(reachable.objects, BATCH_HASHES)) {
    await copyObjectsAhead(database, hashes, from, to);
  }
  for (const hashes of batches(reachable.blobs, BATCH_HASHES)) {
    await copyBlobsAhead(services, hashes, from, to);
  }
  return { walked: reachable.walked, sweeps };
}

/**
 * Requires that the other organization can have the files that it lacks, before any is copied.
 *
 * @throws ContractError 403
 */
async function requireBytes(
  { database: { query }, quotas }: UploadServices,
  { blobs }: ReachableSet,
  from: string,
  to: string,
): Promise<void> {
  if (quotas.limitsOf(to).bytes === undefined) {
    return;
  }
  let bytes = 0;
  for (const hashes of batches(blobs, BATCH_HASHES)) {
    const rows = await blobsOf(query, from, await missingHashes(query, 'blobs', hashes, to));
    bytes += rows.reduce((sum, { size }) => sum + size, 0);
  }
  await requireQuota(query, quotas, to, { bytes });
}

/** Whether one transaction can copy all reachable content. */
async function isLittle(queries: Queries, { objects, blobs }: ReachableSet, from: string): Promise<boolean> {
  if (objects.size > BATCH_HASHES || blobs.size > BATCH_HASHES) {
    return false;
  }
  const rows = [
    ...(await objectSizes(queries, from, [...objects])),
    ...(await blobsOf(queries, from, [...blobs])).map((blob) => ({ size: copiedBytes(blob) })),
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
    .select(['hash', 'size', 'content', 'object'])
    .where('organization', '=', organization)
    .where('hash', 'in', padded(hashes))
    .execute();
}

/** Bytes that a copy of a file writes: organizations share objects. */
const copiedBytes = ({ size, object }: { size: number; object: string | null }): number =>
  object === null ? size : 0;

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
  services: UploadServices,
  hashes: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  const { database } = services;
  const missing = await missingHashes(database.query, 'blobs', hashes, to);
  const rows = await blobsOf(database.query, from, missing);
  for (const blob of rows) {
    if (copiedBytes(blob) > BATCH_BYTES) {
      await uploadBlob(services, to, readChunks(services, from, blob));
    }
  }
  for (const part of parts(rows.filter((blob) => copiedBytes(blob) <= BATCH_BYTES))) {
    await database.transaction((trx) => copyBlobs(trx, services.quotas, part, from, to));
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
