import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import { withMaintenance } from '../../../server/database/engines/postgres.ts';
import { SqliteFile } from '../../../server/database/engines/sqlite.ts';
import { DATABASE_FILE } from '../../../server/database/folder/data-folder.ts';

/** Runs work on a database without migrating it. */
export async function withUnmigrated<T, Tables = unknown>(
  location: DatabaseLocation,
  work: (database: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  if ('url' in location) {
    return await withMaintenance(location.url, work);
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const database = new Kysely<Tables>({
    dialect: new SqliteFile(join(location.folder, DATABASE_FILE), log, 'own'),
  });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}
