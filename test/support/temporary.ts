import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Linux's file system in memory. */
const MEMORY_FOLDER = '/dev/shm';
/** Free space below which the file system in memory is not used; containers often have 64 MB. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/**
 * Parent of the databases and repositories of tests: in memory if there is space, so that commits do not wait for the
 * disk.
 */
export const TEMPORARY_FOLDER = hasSpace(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}
