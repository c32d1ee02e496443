import { chmod, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Nobody but the owner. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const MODE_BITS = 0o777;
/** Set on folders that several accounts share, such as /tmp. */
const STICKY_BIT = 0o1000;

/**
 * Makes a folder private to the account that runs this process, and the files in it, whoever made them and with
 * whatever mode; creates the folder where it is missing. The files of folders within are out of reach then, too.
 *
 * @throws Error where the folder belongs to others, or is shared
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const { mode } = await lstat(join(folder, '.'));
  if (mode & STICKY_BIT)
    throw new Error(
      `The data folder ${folder} is shared with other accounts. Set COLOPHON_DATA to a folder of its own.`,
    );
  await restrict(folder, FOLDER_MODE);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isFile()) await restrict(join(folder, entry.name), FILE_MODE);
}

/** Creates a file that only this account may read, where it is missing; one that is there is made so. */
export async function makePrivateFile(file: string): Promise<void> {
  const handle = await open(file, 'a', FILE_MODE);
  await handle.close();
  await restrict(file, FILE_MODE);
}

async function restrict(path: string, wanted: number): Promise<void> {
  try {
    const { mode } = await lstat(join(path, wanted === FOLDER_MODE ? '.' : ''));
    if ((mode & MODE_BITS) !== wanted) await chmod(path, wanted);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // Deleted since it was listed, such as the write-ahead log of another process that closed.
    if (error.code === 'ENOENT') return;
    if (error.code !== 'EPERM') throw error;
    throw new Error(
      `${path} is open to other accounts, and belongs to another one, so that this process cannot close it. ` +
        `Make the account that runs the server its owner: chown -R <account> <folder>.`,
      { cause: error },
    );
  }
}
