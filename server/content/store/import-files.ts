import type { Database } from '../../database/database.ts';
import type { MakeId } from '../../database/seams.ts';
import type { Dimensions, ImportedFile } from '../repository/types.ts';
import { putBlobs } from './objects.ts';
import type { FileRecord } from './records.ts';

/** The bytes of a file, stored. */
export interface StoredFile {
  blob: string;
  size: number;
  dimensions?: Dimensions;
}

/** Bytes taken into memory before they are stored. */
const BATCH = 8 * 1024 * 1024;

/** The Git objects that an import has to read: those of files that the previous revision has not. */
export function missingFiles(files: readonly ImportedFile[], previous: Iterable<FileRecord>): Set<string> {
  const known = new Set([...previous].map(({ git }) => git?.oid));
  return new Set(files.map(({ git }) => git.oid).filter((oid) => !known.has(oid)));
}

/**
 * Stores the bytes of files as they come, ahead of the revision that will name them, in small transactions: a
 * large import neither fills the memory nor keeps other writers waiting. What no revision comes to name is swept.
 *
 * @param dimensionsOf the size of an image, undefined for what is none
 * @returns what was stored, by the ids of the Git objects
 */
export async function storeFiles(
  database: Database,
  organization: string,
  contents: AsyncIterable<{ oid: string; content: Uint8Array }>,
  dimensionsOf: (content: Uint8Array) => Dimensions | undefined,
): Promise<Map<string, StoredFile>> {
  const stored = new Map<string, StoredFile>();
  let batch: Array<{ oid: string; content: Uint8Array }> = [];
  let bytes = 0;
  const flush = async () => {
    const hashes = await database.transaction((trx) =>
      putBlobs(
        trx,
        organization,
        batch.map(({ content }) => content),
      ),
    );
    batch.forEach(({ oid, content }, at) => {
      const dimensions = dimensionsOf(content);
      const blob = hashes[at];
      if (blob === undefined) return;
      stored.set(oid, { blob, size: content.byteLength, ...(dimensions && { dimensions }) });
    });
    batch = [];
    bytes = 0;
  };
  for await (const file of contents) {
    batch.push(file);
    bytes += file.content.byteLength;
    if (bytes >= BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  return stored;
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
