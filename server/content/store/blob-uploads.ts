import { createHash, randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../database/seams.ts';
import type { ObjectStorage } from '../../outgoing/object-storage/object-storage.ts';
import type { QuotaLimitsOf } from '../../quotas/quotas.ts';
import { requireQuota } from '../../quotas/use.ts';
import { BATCH_BYTES, CHUNK_BYTES, type FileStores, findBlob, MAX_FILE_BYTES, storeChunks } from './blobs.ts';
import { abandonUploads } from './expired-uploads.ts';

/**
 * Large files, written while they arrive: in many small transactions, or to the object storage. Until the last
 * transaction, which adds the content to `blobs`, no file refers to it, and a row of `blobUploads` states that it must
 * be deleted eventually.
 */

/** Maximum duration of writing one file before its bytes count as abandoned. */
export const UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1000;

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
  /** Identifies its bytes. */
  content: string;
  /** The key of the object with its bytes; null if they are in chunks. */
  object: string | null;
}

/** What uploads use until a file refers to them. */
export interface PendingUploadServices extends FileStores {
  clock: Clock;
}

/** What uploads of files use. */
export interface UploadServices extends PendingUploadServices {
  quotas: QuotaLimitsOf;
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
 * @throws FileTooLargeError beyond `maxBytes`, ContractError 403 if the organization would have too many bytes, and errors
 *   of `source`; nothing is retained then
 */
export async function uploadBlob(
  services: UploadServices,
  organization: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes?: number,
): Promise<UploadedBlob> {
  const { database } = services;
  const upload = await storePendingUpload(services, organization, source, maxBytes);
  try {
    const isNew = await database.transaction((trx) => finishUpload(trx, services, upload));
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
 * that starts to use the file. Until then a sweep retains it. A file of more than {@link BATCH_BYTES} is stored in the
 * object storage if that receives files; smaller ones are moved there later, so that they do not depend on it.
 *
 * @throws like `uploadBlob`
 */
export async function storePendingUpload(
  services: PendingUploadServices,
  organization: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_FILE_BYTES,
): Promise<PendingUpload> {
  const { database, clock, objectStorage } = services;
  const upload = { organization, content: randomUUID() };
  const expiresAt = new Date(clock().getTime() + UPLOAD_LIFETIME_MS).toISOString();
  const digest = createHash('sha256');
  let head: Uint8Array = Buffer.alloc(0);
  let size = 0;
  async function* measuredBatches(): Batches {
    for await (const batch of chunkBatches(source)) {
      const isFirst = size === 0;
      for (const chunk of batch) {
        digest.update(chunk);
        size += chunk.byteLength;
      }
      if (size > maxBytes) {
        throw new FileTooLargeError(maxBytes);
      }
      if (isFirst) {
        head = Buffer.concat(batch);
      }
      yield batch;
    }
  }
  try {
    await database.query
      .insertInto('blobUploads')
      .values({ ...upload, object: null, expiresAt })
      .execute();
    await using batches = measuredBatches();
    const object = objectStorage?.receivesFiles
      ? await storeLargeObject(database, objectStorage, upload, batches)
      : await storeBatches(database, upload, batches);
    return { ...upload, object, hash: digest.digest('base64url'), size, head };
  } catch (error) {
    await abandonUploads(services, organization, [upload.content]);
    throw error;
  }
}

/** Batches of chunks, which can be read in several steps. */
type Batches = AsyncGenerator<Uint8Array[], void, undefined>;

/** Stores batches as chunks. */
async function storeBatches(
  database: Database,
  { organization, content }: Pick<PendingUpload, 'organization' | 'content'>,
  batches: Batches,
): Promise<null> {
  let index = 0;
  for await (const batch of batches) {
    await database.transaction((trx) => storeChunks(trx, organization, content, index, batch));
    index += batch.length;
  }
  return null;
}

/** Stores batches as an object, or a single one as chunks. Returns the key of the object. */
async function storeLargeObject(
  database: Database,
  objectStorage: ObjectStorage,
  upload: Pick<PendingUpload, 'organization' | 'content'>,
  batches: Batches,
): Promise<string | null> {
  const [first, second] = [await batches.next(), await batches.next()];
  const all = resumed(
    [first, second].flatMap(({ value }) => (value ? [value] : [])),
    batches,
  );
  if (second.done) {
    return await storeBatches(database, upload, all);
  }
  const object = await nameObject(database, upload);
  await objectStorage.store(object, chunksOf(all));
  return object;
}

/** Records the key of an object before it is stored, so that it is deleted unless a file uses it. */
async function nameObject(
  { query }: Database,
  { organization, content }: Pick<PendingUpload, 'organization' | 'content'>,
): Promise<string> {
  const object = `${organization}/${content}`;
  await query
    .updateTable('blobUploads')
    .set({ object })
    .where('organization', '=', organization)
    .where('content', '=', content)
    .execute();
  return object;
}

async function* resumed(read: readonly Uint8Array[][], rest: Batches): Batches {
  yield* read;
  yield* rest;
}

async function* chunksOf(batches: Batches): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const batch of batches) {
    yield* batch;
  }
}

/**
 * Converts an upload to a blob. Returns false if the organization already has those bytes.
 *
 * @throws Error if it took so long that it was swept; ContractError 403 if the organization would have too many bytes
 */
export async function finishUpload(
  trx: Transaction,
  { clock, quotas }: Pick<UploadServices, 'clock' | 'quotas'>,
  { organization, content, object, hash, size }: Omit<PendingUpload, 'head'>,
): Promise<boolean> {
  const upload = await trx
    .selectFrom('blobUploads')
    .select('expiresAt')
    .where('organization', '=', organization)
    .where('content', '=', content)
    .executeTakeFirst();
  if (!upload || upload.expiresAt <= clock().toISOString()) {
    throw new Error('The upload of a file timed out, and its partial content was deleted.');
  }
  if (quotas.limitsOf(organization).bytes !== undefined && !(await findBlob(trx, organization, hash))) {
    await requireQuota(trx, quotas, organization, { bytes: size });
  }
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('blobs')
    .values({ organization, hash, size, content, object })
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
