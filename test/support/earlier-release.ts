import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { DatabaseLocation } from '../../server/database/database.ts';
import { runMigrations } from '../../server/database/migrate.ts';
import { migrations } from '../../server/database/migrations/index.ts';
import { withMaintenance } from '../../server/database/postgres.ts';
import { SqliteFile } from '../../server/database/sqlite.ts';

/**
 * Creates the database of an earlier release in a blank location.
 *
 * @param lastMigration the name of the last migration of that release
 * @param fill writes its rows
 */
export async function createEarlierDatabase(
  location: DatabaseLocation,
  lastMigration: string,
  fill: (database: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  const create = async (database: Kysely<unknown>) => {
    const last = migrations.findIndex(([name]) => name === lastMigration);
    await runMigrations(database, migrations.slice(0, last + 1));
    await fill(database);
  };
  if ('url' in location) {
    await withMaintenance(location.url, create);
    return;
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const database = new Kysely<unknown>({
    dialect: new SqliteFile(join(location.folder, 'colophon.sqlite'), log, 'own'),
  });
  await create(database);
  await database.destroy();
}
