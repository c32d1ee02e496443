import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Linux's file system in memory. */
const MEMORY_FOLDER = '/dev/shm';
/** Free memory below which a file system in memory is left alone; containers often have 64 MB. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/**
 * Parent of the databases and repositories of tests: in memory where there is room, since the tests would wait for the
 * disk with every commit.
 */
export const TEMPORARY_FOLDER = hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}
