import { Readable } from 'node:stream';
import type { Database } from '../../database/database.ts';
import type { Clock, MakeId } from '../../database/seams.ts';
import type { Dimensions, ImportedFile } from '../repository/types.ts';
import { removeExpiredUploads, uploadBlob } from './blob-uploads.ts';
import { BATCH_BYTES, knownBlobs, MAX_FILE_BYTES, putBlobs } from './blobs.ts';
import { hashOf } from './hash.ts';
import type { FileRecord } from './records.ts';

/** Small files that one transaction stores. */
const BATCH_FILES = 100;

/** The bytes of a file, stored. */
export interface StoredFile {
  blob: string;
  size: number;
  dimensions?: Dimensions;
}

/** A file whose bytes arrive when they are asked for. */
export interface ArrivingFile {
  /** The id of the Git object. */
  oid: string;
  /** In bytes. */
  size: number;
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * The Git objects that an import has to read: those of files that the previous revision has not, and that are not
 * too large.
 */
export function missingFiles(files: readonly ImportedFile[], previous: Iterable<FileRecord>): Set<string> {
  const known = new Set([...previous].map(({ git }) => git?.oid));
  const wanted = files.filter(({ git, size }) => !known.has(git.oid) && size <= MAX_FILE_BYTES);
  return new Set(wanted.map(({ git }) => git.oid));
}

/**
 * Stores files as they come, ahead of the revision that will name them, in small transactions: a large import
 * neither fills the memory nor keeps other writers waiting. What no revision comes to name is swept.
 *
 * @param dimensionsOf the size of an image from its first bytes, undefined for what is none
 * @returns what was stored, by the ids of the Git objects
 */
export async function storeFiles(
  services: { database: Database; clock: Clock },
  organization: string,
  files: AsyncIterable<ArrivingFile>,
  dimensionsOf: (head: Uint8Array) => Dimensions | undefined,
): Promise<Map<string, StoredFile>> {
  const { database, clock } = services;
  // What a killed process left of an earlier try.
  await removeExpiredUploads(database, organization, clock());
  const stored = new Map<string, StoredFile>();
  const keep = (
    oid: string,
    { hash: blob, size, head }: { hash: string; size: number; head: Uint8Array },
  ) => {
    const dimensions = dimensionsOf(head);
    stored.set(oid, { blob, size, ...(dimensions && { dimensions }) });
  };
  let small: Array<{ oid: string; bytes: Uint8Array }> = [];
  let bytes = 0;
  const flush = async () => {
    const contents = small.map((file) => file.bytes);
    const hashes = await database.transaction((trx) => putBlobs(trx, organization, contents));
    small.forEach(({ oid, bytes: head }, at) => {
      keep(oid, { hash: hashes[at] ?? '', size: head.byteLength, head });
    });
    small = [];
    bytes = 0;
  };
  for await (const { oid, size, chunks } of files) {
    if (size > BATCH_BYTES) {
      keep(oid, await uploadBlob(services, organization, chunks));
      continue;
    }
    if (bytes + size > BATCH_BYTES || small.length === BATCH_FILES) await flush();
    small.push({ oid, bytes: Buffer.concat(await Array.fromAsync(chunks)) });
    bytes += size;
  }
  if (small.length > 0) await flush();
  return stored;
}

/** Stores files that are at hand like {@link storeFiles}; returns their hashes. */
export async function storeBytes(
  services: { database: Database; clock: Clock },
  organization: string,
  files: Iterable<Uint8Array>,
): Promise<string[]> {
  const bytesOf = new Map(Array.from(files, (bytes) => [hashOf(bytes), bytes]));
  const hashes = [...bytesOf.keys()];
  for (const hash of await knownBlobs(services.database.query, organization, hashes)) bytesOf.delete(hash);
  if (bytesOf.size > 0) await storeFiles(services, organization, arriving(bytesOf), () => undefined);
  return hashes;
}

async function* arriving(files: Iterable<[string, Uint8Array]>): AsyncGenerator<ArrivingFile> {
  for (const [oid, bytes] of files) yield { oid, size: bytes.byteLength, chunks: Readable.from([bytes]) };
}

/** The ids of files by their paths in the repository: those that were imported before keep theirs. */
export function assignFileIds(
  files: readonly ImportedFile[],
  previous: ReadonlyMap<string, FileRecord>,
  makeId: MakeId,
): Map<string, string> {
  return new Map(files.map(({ git }) => [git.path, previous.get(git.path)?.id ?? makeId('file')]));
}

/** Files of the previous revision by their paths in the repository. */
export function filesByPath(files: Iterable<FileRecord>): Map<string, FileRecord> {
  return new Map([...files].flatMap((file) => (file.git ? [[file.git.path, file]] : [])));
}

/**
 * The records of files, by id. One whose bytes are neither stored now nor known from the previous revision is
 * left out.
 */
export function fileRecords(
  files: readonly ImportedFile[],
  ids: ReadonlyMap<string, string>,
  previous: ReadonlyMap<string, FileRecord>,
  stored: ReadonlyMap<string, StoredFile>,
  now: Date,
): Map<string, FileRecord> {
  const known = new Map([...previous.values()].map((file) => [file.git?.oid, file]));
  const result = new Map<string, FileRecord>();
  for (const { name, contentType, git } of files) {
    const id = ids.get(git.path);
    const bytes = stored.get(git.oid) ?? known.get(git.oid);
    if (id === undefined || !bytes) continue;
    result.set(id, {
      id,
      name,
      contentType,
      size: bytes.size,
      blob: bytes.blob,
      ...(bytes.dimensions && { dimensions: bytes.dimensions }),
      createdAt: previous.get(git.path)?.createdAt ?? now.toISOString(),
      git,
    });
  }
  return result;
}
