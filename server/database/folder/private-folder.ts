import { chmod, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Access for the owner only. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const MODE_BITS = 0o777;
/** Set on shared folders such as /tmp. */
const STICKY_BIT = 0o1000;

/**
 * Creates a folder if it is missing, and restricts the folder and its files to the current account. Subfolders become
 * inaccessible to other accounts as well.
 *
 * @throws Error if the folder is owned by another account or is shared
 */
export async function createPrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const { mode } = await lstat(join(folder, '.'));
  if (mode & STICKY_BIT) {
    throw new Error(
      `The data folder ${folder} is shared with other accounts. Set COLOPHON_DATA to a separate folder.`,
    );
  }
  await restrict(folder, FOLDER_MODE);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile()) {
      await restrict(join(folder, entry.name), FILE_MODE);
    }
  }
}

/** Creates a file if it is missing, and restricts it to the current account. */
export async function createPrivateFile(file: string): Promise<void> {
  const handle = await open(file, 'a', FILE_MODE);
  await handle.close();
  await restrict(file, FILE_MODE);
}

/** Ensures that the names of the files in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function restrict(path: string, requiredMode: number): Promise<void> {
  try {
    const { mode } = await lstat(join(path, requiredMode === FOLDER_MODE ? '.' : ''));
    if ((mode & MODE_BITS) !== requiredMode) {
      await chmod(path, requiredMode);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) {
      throw error;
    }
    // Deleted since it was listed, such as the write-ahead log of another process.
    if (error.code === 'ENOENT') {
      return;
    }
    if (error.code !== 'EPERM') {
      throw error;
    }
    throw new Error(
      `${path} is accessible to other accounts and owned by another account. ` +
        `Make the account of the server its owner: chown -R <account> <folder>.`,
      { cause: error },
    );
  }
}
