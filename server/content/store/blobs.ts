import { randomUUID } from 'node:crypto';
import type { Database, Queries, Transaction } from '../../database/database.ts';
import { ObjectMissingError, ObjectStorageError } from '../../outgoing/object-storage/errors.ts';
import type { ObjectStorage } from '../../outgoing/object-storage/object-storage.ts';
import type { QuotaLimitsOf } from '../../quotas/quotas.ts';
import { requireQuota } from '../../quotas/use.ts';
import { hashOf } from '../tree/hash.ts';
import { MissingObjectError } from '../tree/values.ts';
import { storedHashes } from './objects.ts';

/**
 * The bytes of files, by SHA-256 hash and once per organization, in chunks of equal length, or in an object of the
 * object storage. The row of a blob is written after its bytes, so every visible blob is complete. Large files are
 * written by blob-uploads.ts.
 */

/** Maximum size of a stored file. */
export const MAX_FILE_BYTES = 268_435_456;
/** Size of a chunk of a stored file: the memory for reading any part of a file. */
export const CHUNK_BYTES = 262_144;
/** Bytes that one transaction writes, so that other writers do not wait long. */
export const BATCH_BYTES = 4 * CHUNK_BYTES;

/** Where the bytes of files are read from. */
export interface FileSource {
  database: Pick<Database, 'query'>;
  /** Undefined if all files are in the database. */
  objectStorage: ObjectStorage | undefined;
}

/** What stores the bytes of files. */
export interface FileStores extends FileSource {
  database: Database;
}

/** The location of the bytes of a file. */
export interface StoredBlob {
  /** Identifies the bytes: the key of its chunks, unless they are in an object. */
  content: string;
  /** The key of the object with its bytes; null if they are in chunks. */
  object: string | null;
  /** Size in bytes. */
  size: number;
}

/** The bytes from `first` to `last`, both inclusive, counted from 0. */
export interface ByteRange {
  first: number;
  last: number;
}

/** Finds a file by the hash of its bytes without reading them; undefined if the organization does not have it. */
export async function findBlob(
  queries: Queries,
  organization: string,
  hash: string,
): Promise<StoredBlob | undefined> {
  return await queries
    .selectFrom('blobs')
    .select(['content', 'size', 'object'])
    .where('organization', '=', organization)
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/**
 * Reads a file chunk by chunk, each on request, and only the needed ones.
 *
 * @throws MissingObjectError if it was swept meanwhile, and ObjectStorageError
 */
export async function* readChunks(
  { database: { query: queries }, objectStorage }: FileSource,
  organization: string,
  { content, size, object }: StoredBlob,
  { first, last }: ByteRange = { first: 0, last: size - 1 },
): AsyncGenerator<Uint8Array, void, undefined> {
  if (object !== null) {
    yield* readObject(objectStorage, object, { first, last });
    return;
  }
  for (let index = Math.floor(first / CHUNK_BYTES); index * CHUNK_BYTES <= last; index++) {
    const start = index * CHUNK_BYTES;
    const row = await queries
      .selectFrom('blobChunks')
      .select('data')
      .where('organization', '=', organization)
      .where('content', '=', content)
      .where('index', '=', index)
      .executeTakeFirst();
    if (!row) {
      throw new MissingObjectError(content);
    }
    yield row.data.subarray(Math.max(0, first - start), last + 1 - start);
  }
}

async function* readObject(
  objectStorage: ObjectStorage | undefined,
  object: string,
  range: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (range.last < range.first) {
    return;
  }
  if (!objectStorage) {
    throw new ObjectStorageError('The file is in an object storage that is not configured: COLOPHON_FILES.');
  }
  try {
    yield* objectStorage.read(object, range);
  } catch (error) {
    throw error instanceof ObjectMissingError ? new MissingObjectError(object) : error;
  }
}

/** Reads all bytes of a small file at once; undefined if the organization does not have it. */
export async function readBlob(
  stores: FileSource,
  organization: string,
  hash: string,
): Promise<Uint8Array | undefined> {
  const blob = await findBlob(stores.database.query, organization, hash);
  if (!blob) {
    return undefined;
  }
  const chunks = await Array.fromAsync(readChunks(stores, organization, blob));
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

/**
 * Stores small files in the transaction: in the database, because transactions await nothing else. Returns their hashes in
 * the same order.
 *
 * @throws ContractError 403 if the organization would have too many bytes
 */
export async function storeBlobs(
  trx: Transaction,
  quotas: QuotaLimitsOf,
  organization: string,
  contents: Iterable<Uint8Array>,
): Promise<string[]> {
  const hashes: string[] = [];
  const bytesOf = new Map<string, Uint8Array>();
  for (const bytes of contents) {
    const hash = hashOf(bytes);
    hashes.push(hash);
    bytesOf.set(hash, bytes);
  }
  const stored = await storedBlobs(trx, organization, [...bytesOf.keys()]);
  const added = [...bytesOf].filter(([hash]) => !stored.has(hash));
  const size = added.reduce((sum, [, bytes]) => sum + bytes.byteLength, 0);
  await requireQuota(trx, quotas, organization, { bytes: size });
  for (const [hash, bytes] of added) {
    const content = randomUUID();
    for (let at = 0; at < bytes.byteLength; at += BATCH_BYTES) {
      await storeChunks(
        trx,
        organization,
        content,
        at / CHUNK_BYTES,
        cut(bytes.subarray(at, at + BATCH_BYTES)),
      );
    }
    await trx
      .insertInto('blobs')
      .values({ organization, hash, size: bytes.byteLength, content, object: null })
      // A conflict with a concurrent transaction makes this one start again.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return hashes;
}

/** Stores consecutive chunks of a content. */
export async function storeChunks(
  trx: Transaction,
  organization: string,
  content: string,
  first: number,
  chunks: readonly Uint8Array[],
): Promise<void> {
  if (chunks.length === 0) {
    return;
  }
  await trx
    .insertInto('blobChunks')
    .values(chunks.map((data, at) => ({ organization, content, index: first + at, data })))
    .execute();
}

/** Returns the hashes of bytes that the organization has. */
export const storedBlobs = (
  queries: Queries,
  organization: string,
  hashes: readonly string[],
): Promise<Set<string>> => storedHashes(queries, 'blobs', organization, hashes);

function cut(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.byteLength / CHUNK_BYTES);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES));
}
