import { join } from 'node:path';
import { loadBackup } from '../../../server/database/backup/load.ts';
import { readHeader } from '../../../server/database/backup/read-backup.ts';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import { DATABASE_FILE } from '../../../server/database/folder/data-folder.ts';
import { createPrivateFile, createPrivateFolder } from '../../../server/database/folder/private-folder.ts';
import { runMigrations } from '../../../server/database/migrate.ts';
import type { Schema } from '../../../server/database/schema.ts';
import { withUnmigrated } from '../database/unmigrated.ts';
import { ROOT } from '../processes/program.ts';

const FOLDER = join(ROOT, 'test/fixtures/releases');

/** Public URL of the servers of the recorded data. */
export const RELEASE_URL = 'https://docs.example.com';

/** Releases whose data are recorded, and the commits of their code. */
export const RELEASES: ReadonlyArray<readonly [version: string, commit: string]> = [
  ['0.1.0', '3dd681d24b7d0baa32b9c30f90358d8da7c705ac'],
];

/** Returns the file with the data of a release, or with the responses that its server sent. */
export const releaseFile = (version: string, kind: 'backup' | 'json'): string =>
  join(FOLDER, `${version}.${kind}`);

/** Loads the data of a release into an empty place, with the schema of that release. */
export async function loadRelease(version: string, location: DatabaseLocation): Promise<void> {
  const file = releaseFile(version, 'backup');
  const header = await readHeader(file);
  if ('folder' in location) {
    await createPrivateFolder(location.folder);
    await createPrivateFile(join(location.folder, DATABASE_FILE));
  }
  await withUnmigrated<unknown, Schema>(location, (database) =>
    loadBackup(database, {
      file,
      header,
      migrate: (migrations) =>
        runMigrations(
          database,
          migrations.filter(([name]) => header.migrations.includes(name)),
        ),
      prepare: async () => {},
    }),
  );
}
