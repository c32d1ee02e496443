import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { readHeader } from '../../../server/database/backup/read-backup.ts';
import type { Restored, RestoreOptions } from '../../../server/database/backup/restore.ts';
import { restoreBackup } from '../../../server/database/backup/restore-backup.ts';
import { writeBackup } from '../../../server/database/backup/write-backup.ts';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import { TEMPORARY_FOLDER } from '../processes/temporary.ts';
import { testLocation } from './engines.ts';

/** Key of the data of {@link backUp}. */
export const BACKED_UP_KEY = { fingerprint: '0123456789abcdef', key: 'a key of 32 characters or longer' };

/** Writes a backup of a database. */
export const backUp = (
  location: DatabaseLocation,
  file: string,
  options: { signal?: AbortSignal; key?: string | undefined } = {},
) =>
  writeBackup(file, {
    location,
    secretKey: async () => ({ ...BACKED_UP_KEY, ...options }),
    now: new Date(),
    ...options,
  });

/** Restores a backup to a database. */
export const restore = async (
  file: string,
  location: DatabaseLocation,
  options: Partial<RestoreOptions> = {},
): Promise<Restored> =>
  restoreBackup({
    file,
    header: await readHeader(file),
    location,
    replace: false,
    writesKey: true,
    prepare: async () => {},
    now: new Date(),
    ...options,
  });

/** A folder for the backups of a test, and databases that end with it. */
export interface TestBackups {
  readonly folder: string;
  /** Path for a backup. */
  readonly file: string;
  /** Creates a database, without tables on request. */
  place(options?: { blank?: boolean }): Promise<DatabaseLocation>;
}

/** Registers the hooks for {@link TestBackups}: each test has its own. */
export function useBackups(): TestBackups {
  const removals: Array<() => Promise<void>> = [];
  let backups: Awaited<ReturnType<typeof backupFolder>>;
  beforeEach(async () => {
    backups = await backupFolder();
  });
  afterEach(async () => {
    await Promise.all(removals.splice(0).map((remove) => remove()));
    await backups[Symbol.asyncDispose]();
  });
  return {
    get folder() {
      return backups.folder;
    },
    get file() {
      return backups.file;
    },
    place: async (options = {}) => {
      const { location, remove } = await testLocation(options);
      removals.push(remove);
      return location;
    },
  };
}

/** Creates a folder for backups, which is deleted when it is disposed. */
export async function backupFolder() {
  const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-backups-'));
  return {
    folder,
    file: join(folder, 'colophon.backup'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
