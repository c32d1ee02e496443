import type { MakeId } from '../../database/seams.ts';
import type { ImportedFile } from '../repository/types.ts';
import { MAX_FILE_BYTES } from '../store/blobs.ts';
import type { FileRecord, StoredFile } from '../tree/records.ts';

/**
 * The Git objects that an import has to read: those of files that the previous revision has not, and that are not
 * too large.
 */
export function missingFiles(files: readonly ImportedFile[], previous: Iterable<FileRecord>): Set<string> {
  const known = new Set([...previous].map(({ git }) => git?.oid));
  const wanted = files.filter(({ git, size }) => !known.has(git.oid) && size <= MAX_FILE_BYTES);
  return new Set(wanted.map(({ git }) => git.oid));
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
