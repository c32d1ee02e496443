import { readFileSync, statfsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory. */
const MEMORY_FOLDER = '/dev/shm';
/** Free space below which the file system in memory is not used; containers often have 64 MB. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/** Variable with the folder for temporary files of a benchmark, which is removed when the benchmark ends. */
export const FOLDER_VARIABLE = 'COLOPHON_TEST_FOLDER';

/**
 * Parent of the databases and repositories of tests: in memory if there is space, so that commits do not wait for the
 * disk.
 */
export const TEMPORARY_FOLDER =
  process.env[FOLDER_VARIABLE] ?? (hasSpace(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir());

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** Parent of folders with programs to run: copies of the repository, and packages that npm installs there. */
const COPY_FOLDER = canExecute(TEMPORARY_FOLDER) ? TEMPORARY_FOLDER : tmpdir();

/** Whether programs in a folder can run, which containers may forbid for the file system in memory. */
function canExecute(folder: string): boolean {
  if (folder !== MEMORY_FOLDER) {
    return true;
  }
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const options = mounts.find(([, place]) => place === folder)?.[3] ?? '';
  return !options.split(',').includes('noexec');
}

/**
 * Creates a folder for a copy of the repository, with the first number that is free. The cache of compiled code names
 * files by their paths: names that recur in later runs find it, and do not fill it with copies that no longer exist.
 */
export async function makeNumberedFolder(prefix: string): Promise<string> {
  for (let number = 1; ; number++) {
    const folder = join(COPY_FOLDER, `${prefix}${number}`);
    const created = await mkdir(folder, { mode: 0o700 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') {
          throw error;
        }
        return false;
      },
    );
    if (created) {
      return folder;
    }
  }
}
