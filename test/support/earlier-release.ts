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
  await withUnmigrated(location, async (database) => {
    await runMigrations(database, migrationsTo(lastMigration));
    await fill(database);
  });
}

/** Returns the migrations of a release, in the order in which they landed, by the name of its last one. */
export function migrationsTo(lastMigration: string): typeof migrations {
  const last = migrations.findIndex(([name]) => name === lastMigration);
  if (last < 0) {
    throw new Error(`There is no migration ${lastMigration}.`);
  }
  return migrations.slice(0, last + 1);
}

/** Runs work on a database without migrating it. */
export async function withUnmigrated<T>(
  location: DatabaseLocation,
  work: (database: Kysely<unknown>) => Promise<T>,
): Promise<T> {
  if ('url' in location) {
    return await withMaintenance(location.url, work);
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const database = new Kysely<unknown>({
    dialect: new SqliteFile(join(location.folder, 'colophon.sqlite'), log, 'own'),
  });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}
