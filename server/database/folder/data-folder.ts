import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The embedded database in the data folder. */
export const DATABASE_FILE = 'colophon.sqlite';
/** The secret key of a server that is configured without one, in the data folder. */
export const SECRET_KEY_FILE = 'secret-key';

/**
 * Checks the files of a data folder before the database is opened: SQLite would replace a missing database with an
 * empty one, and delete its write-ahead log.
 *
 * @throws Error if the database is missing or empty, but files that belong to one are not
 */
export async function requireDatabaseFile(folder: string): Promise<void> {
  if (!(await hasContent(join(folder, DATABASE_FILE)))) {
    await rejectFile(folder, `${DATABASE_FILE}-wal`);
    await rejectKey(folder);
  }
}

/**
 * Checks the folder of a database without tables: a server creates its key after the tables.
 *
 * @throws Error if the folder contains a secret key
 */
export const rejectKey = (folder: string): Promise<void> => rejectFile(folder, SECRET_KEY_FILE);

async function rejectFile(folder: string, name: string): Promise<void> {
  if (await hasContent(join(folder, name))) {
    throw new Error(
      `The database ${join(folder, DATABASE_FILE)} is missing or empty, but the file ${name} of its data is not. ` +
        `Restore ${DATABASE_FILE} from a backup. If there is no data to restore, move ${name} elsewhere: the server ` +
        'then creates a new database.',
    );
  }
}

async function hasContent(file: string): Promise<boolean> {
  try {
    return (await stat(file)).size > 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return false;
    }
    throw error;
  }
}
