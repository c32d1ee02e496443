import { existsSync } from 'node:fs';
import { link, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { SqliteFile } from '../engines/sqlite.ts';
import { Handle } from '../engines/sqlite-handle.ts';
import { isBusy } from '../errors.ts';
import { DATABASE_FILE, SECRET_KEY_FILE } from '../folder/data-folder.ts';
import { lockFolder } from '../folder/folder-lock.ts';
import { createPrivateFile, createPrivateFolder, syncFolder } from '../folder/private-folder.ts';
import { runMigrations } from '../migrate.ts';
import type { Schema } from '../schema.ts';
import { BackupError } from './errors.ts';
import { loadBackup } from './load.ts';
import type { BackupContent } from './read-backup.ts';
import { nameOfReplaced, type Restored, type RestoreOptions } from './restore.ts';

/** Folder in the data folder for a database that is not complete yet. */
const DRAFT_FOLDER = 'restoring';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Restores a backup to a data folder. The new database is created next to the old one, and takes its place when it is
 * complete.
 */
export async function restoreToFolder(folder: string, options: RestoreOptions): Promise<Restored> {
  await createPrivateFolder(folder);
  const lock = await lockFolder(folder);
  const draft = join(folder, DRAFT_FOLDER);
  try {
    const isReplaced = await requirePlace(folder, options.replace);
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    const content = await createDatabase(join(draft, DATABASE_FILE), options);
    const replaced = isReplaced ? join(folder, nameOfReplaced(options.now)) : undefined;
    if (replaced !== undefined) {
      await keepReplaced(folder, replaced);
    }
    if (options.writesKey && content.key !== undefined) {
      await writeFile(join(draft, SECRET_KEY_FILE), content.key, { mode: 0o600, flush: true });
      await rename(join(draft, SECRET_KEY_FILE), join(folder, SECRET_KEY_FILE));
    }
    // If the process ends between the two, the server does not start with the key of another database, or of none.
    await rename(join(draft, DATABASE_FILE), join(folder, DATABASE_FILE));
    await syncFolder(folder);
    return { ...content, replaced };
  } finally {
    await rm(draft, { recursive: true, force: true });
    lock.release();
  }
}

/** Returns whether the folder contains data. @throws BackupError if they may not be replaced */
async function requirePlace(folder: string, replace: boolean): Promise<boolean> {
  const files = [DATABASE_FILE, `${DATABASE_FILE}-wal`, SECRET_KEY_FILE];
  const sizes = await Promise.all(
    files.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const isFull = sizes.some((size) => size > 0);
  if (isFull && !replace) {
    throw new BackupError(
      `The data folder ${folder} contains data. Set COLOPHON_DATA to another folder, or add --replace: ` +
        'the data are then moved to a subfolder.',
    );
  }
  return isFull;
}

async function createDatabase(file: string, options: RestoreOptions): Promise<BackupContent> {
  await createPrivateFile(file);
  const engine = new SqliteFile(file, silent, 'own');
  const kysely = new Kysely<Schema>({ dialect: engine });
  let content: BackupContent;
  try {
    content = await loadBackup(kysely, {
      ...options,
      migrate: (migrations) => runMigrations(kysely, migrations),
    });
  } finally {
    await kysely.destroy();
    await engine.close();
  }
  await settle(file);
  return content;
}

/**
 * Copies the log of a database to its file, which is on disk afterwards.
 *
 * @throws BackupError if another program uses the database; errors of SQLite if it is damaged
 */
async function settle(file: string): Promise<void> {
  const handle = new Handle(file, { existing: true, checkpointPages: 1000 });
  try {
    const checkpoint = { sql: 'pragma wal_checkpoint(truncate)', parameters: [] };
    const { rows } = handle.run<{ busy: number }>(checkpoint);
    if (rows.some(({ busy }) => busy !== 0)) {
      throw new BackupError(`The database ${file} is in use by another program. Stop it first.`);
    }
  } finally {
    handle.close();
  }
  const opened = await open(file, 'r+');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** Adds the database and its key to another folder. The database remains in its place until it is replaced. */
async function keepReplaced(folder: string, replaced: string): Promise<void> {
  const log = `${DATABASE_FILE}-wal`;
  await mkdir(replaced, { mode: 0o700 });
  for (const name of [DATABASE_FILE, log, SECRET_KEY_FILE]) {
    if (existsSync(join(folder, name))) {
      await link(join(folder, name), join(replaced, name));
    }
  }
  try {
    await settle(join(folder, DATABASE_FILE));
    await rm(join(replaced, log), { force: true });
  } catch (error) {
    if (error instanceof BackupError || isBusy(error)) {
      await rm(replaced, { recursive: true });
      throw error;
    }
    // Damaged data are kept as they are, with their log, which must not be applied to the new database.
  }
  await rm(join(folder, log), { force: true });
  await rm(join(folder, `${DATABASE_FILE}-shm`), { force: true });
  await syncFolder(replaced);
}
