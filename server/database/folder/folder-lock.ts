import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../errors.ts';
import { createPrivateFile } from './private-folder.ts';

/** A server's lock on its data folder. */
export interface FolderLock {
  release(): void;
}

/**
 * Locks a data folder for one server, since servers cache data in memory. The lock is an open transaction on a separate
 * file, so the system releases it however the process ends. Commands and job processes do not acquire it.
 *
 * @throws Error if another server has locked the folder
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, 'server.lock');
  await createPrivateFile(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) {
      throw error;
    }
    throw new Error(
      `The data folder ${folder} is in use by another server. Stop it first, or set COLOPHON_DATA to another ` +
        'folder. To run several servers on one database, use PostgreSQL: set DATABASE_URL.',
    );
  }
  return { release: () => lock.close() };
}
