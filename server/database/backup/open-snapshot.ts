import { join } from 'node:path';
import type { Column } from '../catalog.ts';
import type { DatabaseLocation } from '../database.ts';
import { DATABASE_FILE } from '../folder/data-folder.ts';
import { BackupError } from './errors.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Opens a snapshot of a database without migrating it, also while servers write to it.
 *
 * @throws BackupError if there is no database; DatabaseUnavailableError
 */
export async function openSnapshot(location: DatabaseLocation): Promise<Snapshot> {
  if ('folder' in location) {
    const { openFileSnapshot } = await import('./sqlite-snapshot.ts');
    return openFileSnapshot(join(location.folder, DATABASE_FILE));
  }
  const { openServerSnapshot } = await import('./postgres-snapshot.ts');
  return await openServerSnapshot(location.url);
}

/** Returns the migrations that the data has run. @throws BackupError if there are no data */
export async function readMigrations(snapshot: Snapshot, columns: readonly Column[]): Promise<string[]> {
  const isMigrated = columns.some(({ table }) => table === 'kysely_migration');
  const rows = isMigrated
    ? await snapshot.all('select "name" from "kysely_migration" order by "timestamp", "name"')
    : [];
  if (rows.length === 0) {
    throw new BackupError(
      'The database is empty: there is nothing to back up. Check COLOPHON_DATA and DATABASE_URL.',
    );
  }
  return rows.map(({ name }) => String(name));
}
