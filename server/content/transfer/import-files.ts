import type { CreateId } from '../../database/seams.ts';
import type { ImportedFile } from '../repository/types.ts';
import { MAX_FILE_BYTES } from '../store/blobs.ts';
import type { FileRecord, StoredFile } from '../tree/records.ts';

/**
 * Returns the Git objects that an import must read: those of files that the previous revision lacks and that are not
 * too large.
 */
export function missingFiles(files: readonly ImportedFile[], previous: Iterable<FileRecord>): Set<string> {
  const previousOids = new Set([...previous].map(({ git }) => git?.oid));
  const missing = files.filter(({ git, size }) => !previousOids.has(git.oid) && size <= MAX_FILE_BYTES);
  return new Set(missing.map(({ git }) => git.oid));
}

/** Assigns IDs to files by path in the repository; files that were imported before retain theirs. */
export function assignFileIds(
  files: readonly ImportedFile[],
  previous: ReadonlyMap<string, FileRecord>,
  createId: CreateId,
): Map<string, string> {
  return new Map(files.map(({ git }) => [git.path, previous.get(git.path)?.id ?? createId('file')]));
}

/** Returns files of the previous revision by path in the repository. */
export function filesByPath(files: Iterable<FileRecord>): Map<string, FileRecord> {
  return new Map([...files].flatMap((file) => (file.git ? [[file.git.path, file]] : [])));
}

/**
 * Creates the records of files, by ID. A file is omitted if its bytes are neither stored now nor known from the
 * previous revision.
 */
export function fileRecords(
  files: readonly ImportedFile[],
  ids: ReadonlyMap<string, string>,
  previous: ReadonlyMap<string, FileRecord>,
  stored: ReadonlyMap<string, StoredFile>,
  now: Date,
): Map<string, FileRecord> {
  const previousByOid = new Map([...previous.values()].map((file) => [file.git?.oid, file]));
  const result = new Map<string, FileRecord>();
  for (const { name, contentType, git } of files) {
    const id = ids.get(git.path);
    const bytes = stored.get(git.oid) ?? previousByOid.get(git.oid);
    if (id === undefined || !bytes) {
      continue;
    }
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
