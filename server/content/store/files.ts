import { Readable } from 'node:stream';
import { requireQuota } from '../../quotas/use.ts';
import { hashOf } from '../tree/hash.ts';
import type { Dimensions, StoredFile } from '../tree/records.ts';
import { type UploadServices, uploadBlob } from './blob-uploads.ts';
import { BATCH_BYTES, storeBlobs, storedBlobs } from './blobs.ts';
import { removeExpiredUploads } from './expired-uploads.ts';

/** Small files that one transaction stores. */
const BATCH_FILES = 100;

/** A file with bytes to read on request. */
export interface ArrivingFile {
  /** ID of the Git object. */
  oid: string;
  /** Size in bytes. */
  size: number;
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * Stores files while they arrive, ahead of the revision that will refer to them, in small transactions: a large
 * import neither fills the memory nor delays other writers. Files that no revision refers to are swept.
 *
 * @param dimensionsOf returns the dimensions of an image from its first bytes, undefined for other content
 * @returns the stored files, by the IDs of the Git objects
 */
export async function storeFiles(
  services: UploadServices,
  organization: string,
  files: AsyncIterable<ArrivingFile>,
  dimensionsOf: (head: Uint8Array) => Dimensions | undefined,
): Promise<Map<string, StoredFile>> {
  const { database, clock, quotas } = services;
  // Removes remains of an earlier attempt of a killed process.
  await removeExpiredUploads(database, organization, clock());
  const stored = new Map<string, StoredFile>();
  const addStored = (
    oid: string,
    { hash: blob, size, head }: { hash: string; size: number; head: Uint8Array },
  ) => {
    const dimensions = dimensionsOf(head);
    stored.set(oid, { blob, size, ...(dimensions && { dimensions }) });
  };
  let batch: Array<{ oid: string; bytes: Uint8Array }> = [];
  let bytes = 0;
  const flush = async () => {
    const contents = batch.map((file) => file.bytes);
    const hashes = await database.transaction((trx) => storeBlobs(trx, quotas, organization, contents));
    batch.forEach(({ oid, bytes: head }, at) => {
      addStored(oid, { hash: hashes[at] ?? '', size: head.byteLength, head });
    });
    batch = [];
    bytes = 0;
  };
  for await (const { oid, size, chunks } of files) {
    if (size > BATCH_BYTES) {
      addStored(oid, await uploadBlob(services, organization, chunks));
      continue;
    }
    if (bytes + size > BATCH_BYTES || batch.length === BATCH_FILES) {
      await flush();
    }
    batch.push({ oid, bytes: Buffer.concat(await Array.fromAsync(chunks)) });
    bytes += size;
  }
  if (batch.length > 0) {
    await flush();
  }
  return stored;
}

/** Stores files in memory like {@link storeFiles}. Returns their hashes. */
export async function storeBytes(
  services: UploadServices,
  organization: string,
  files: Iterable<Uint8Array>,
): Promise<string[]> {
  const bytesOf = new Map(Array.from(files, (bytes) => [hashOf(bytes), bytes]));
  const hashes = [...bytesOf.keys()];
  for (const hash of await storedBlobs(services.database.query, organization, hashes)) {
    bytesOf.delete(hash);
  }
  if (bytesOf.size > 0) {
    // None is stored if not all can be.
    const bytes = bytesOf.values().reduce((sum, { byteLength }) => sum + byteLength, 0);
    await requireQuota(services.database.query, services.quotas, organization, { bytes });
    await storeFiles(services, organization, arriving(bytesOf), () => undefined);
  }
  return hashes;
}

async function* arriving(files: Iterable<[string, Uint8Array]>): AsyncGenerator<ArrivingFile> {
  for (const [oid, bytes] of files) {
    yield { oid, size: bytes.byteLength, chunks: Readable.from([bytes]) };
  }
}
