import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './errors.ts';
import { makePrivateFile } from './private-folder.ts';

/** The lock of one server on a data folder. */
export interface FolderLock {
  release(): void;
}

/**
 * Reserves a data folder for one server: two would each work from what they keep in memory. The lock is that of
 * an open transaction on a file of its own, so the system releases it however the process ends. Commands and job
 * processes work beside the server and take none.
 *
 * @throws Error when another server holds the folder
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, 'server.lock');
  await makePrivateFile(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new Error(
      `The data folder ${folder} is in use by another server. Stop it first, or give this one a folder of its ` +
        'own in COLOPHON_DATA. Several processes can share one database only on PostgreSQL: set DATABASE_URL.',
    );
  }
  return { release: () => lock.close() };
}
