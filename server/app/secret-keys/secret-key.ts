import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from '../../database/backup/errors.ts';
import type { BackupKey } from '../../database/backup/records.ts';
import type { KeyToBackUp } from '../../database/backup/write-backup.ts';
import type { Database, Queries, Transaction } from '../../database/database.ts';
import { SECRET_KEY_FILE } from '../../database/folder/data-folder.ts';
import { syncFolder } from '../../database/folder/private-folder.ts';
import { type ReplacedValues, replaceSealedValues } from './sealed-values.ts';

/** Key of the row in `settings` that identifies the secret key of the data. */
const SETTING = 'secret key';
const FINGERPRINT_BYTES = 16;

/** Where the key of a server is. */
export interface SecretKeyOptions {
  /** The configured key; undefined if it is in the data folder. */
  secretKey: string | undefined;
  dataFolder: string;
}

const CONSEQUENCE = 'Credentials that the database stores cannot be decrypted without it.';

/**
 * Returns the secret key of the data: the configured key, or the key in a private file of the data folder, which is
 * created for new data. The database stores a fingerprint of the key. The key cannot be derived from it.
 *
 * The file is created after the tables of the database and before the fingerprint, so that the next start can continue
 * after a crash in between.
 *
 * @param replaceCommand the command that replaces a lost key, for error messages
 * @throws Error if the key is missing, or is not the key of the data
 */
export async function requireSecretKey(
  database: Database,
  { secretKey: configured, dataFolder }: SecretKeyOptions,
  replaceCommand: string,
): Promise<string> {
  const file = join(dataFolder, SECRET_KEY_FILE);
  const ifLost = `If the key is lost, replace it: ${replaceCommand}.`;
  const secretKey = configured ?? (await readKey(file)) ?? (await createKey(database, file, ifLost));
  const name = configured === undefined ? `The key in ${file}` : 'COLOPHON_SECRET_KEY';
  const fingerprint = fingerprintOf(secretKey);
  const recorded =
    (await recordedFingerprint(database.query)) ??
    (await database.transaction((trx) => recordFingerprint(trx, fingerprint)));
  if (!isEqual(recorded, fingerprint)) {
    throw new Error(
      `${name} is not the secret key of this database. ${CONSEQUENCE} ` +
        `Set the key with which the database was used before, or restore it from the backup of the database. ${ifLost}`,
    );
  }
  return secretKey;
}

/**
 * Returns the secret key of data to back up. A configured key is not part of the backup.
 *
 * @param recorded reads a value of the settings of the data
 * @throws BackupError if the key is missing, or is not the key of the data
 */
export async function keyToBackUp(
  { secretKey: configured, dataFolder }: SecretKeyOptions,
  setting: (key: string) => Promise<string | undefined>,
): Promise<KeyToBackUp> {
  const fingerprint = await setting(SETTING);
  if (fingerprint === undefined) {
    throw new BackupError('The data have no secret key yet. Start the server once before the first backup.');
  }
  const file = join(dataFolder, SECRET_KEY_FILE);
  const key = configured ?? (await readKey(file));
  if (key === undefined || !isEqual(fingerprintOf(key), fingerprint)) {
    const problem =
      key === undefined
        ? `The secret key of this database is missing: ${file} does not exist.`
        : `${configured === undefined ? `The key in ${file}` : 'COLOPHON_SECRET_KEY'} is not the secret key of this database.`;
    throw new BackupError(`${problem} A backup is of no use without it. Set the key that the server uses.`);
  }
  return { fingerprint, key: configured === undefined ? key : undefined };
}

/**
 * Checks that data can be used after they are restored.
 *
 * @param restored the key of the data
 * @returns whether the key in the backup is to be written to the data folder
 * @throws BackupError if the configured key is another one, or none is configured although the backup has none
 */
export async function requireKeyToRestore(
  { secretKey: configured, dataFolder }: SecretKeyOptions,
  restored: BackupKey,
): Promise<boolean> {
  if (configured === undefined && restored.place === 'backup') {
    return true;
  }
  const key = configured ?? (await readKey(join(dataFolder, SECRET_KEY_FILE)));
  if (key !== undefined && isEqual(fingerprintOf(key), restored.fingerprint)) {
    return false;
  }
  const problem =
    configured === undefined
      ? 'The backup does not contain its secret key, which was configured.'
      : 'COLOPHON_SECRET_KEY is not the secret key of the backup.';
  const origin =
    restored.place === 'backup'
      ? `the content of the file ${SECRET_KEY_FILE} of the data folder that was backed up`
      : 'the key with which the data were used';
  throw new BackupError(`${problem} Set COLOPHON_SECRET_KEY to ${origin}. Nothing was restored.`);
}

/**
 * Replaces a lost key by the configured one, or by a new one in the data folder, and what it encrypted. The server must
 * be stopped.
 */
export async function replaceSecretKey(
  database: Database,
  { secretKey: configured, dataFolder }: SecretKeyOptions,
): Promise<ReplacedValues> {
  const file = join(dataFolder, SECRET_KEY_FILE);
  const secretKey = configured ?? (await readKey(file)) ?? (await createKeyFile(file));
  const value = fingerprintOf(secretKey);
  return await database.transaction(async (trx) => {
    const replaced = await replaceSealedValues(trx, secretKey);
    await trx
      .insertInto('settings')
      .values({ key: SETTING, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
    return replaced;
  });
}

/** Records the fingerprint of the key of new data. Returns the one that is recorded, possibly by another process. */
async function recordFingerprint(trx: Transaction, value: string): Promise<string> {
  const recorded = await recordedFingerprint(trx);
  if (recorded === undefined) {
    await trx.insertInto('settings').values({ key: SETTING, value }).execute();
  }
  return recorded ?? value;
}

async function recordedFingerprint(queries: Queries): Promise<string | undefined> {
  const row = await queries
    .selectFrom('settings')
    .select('value')
    .where('key', '=', SETTING)
    .executeTakeFirst();
  return row?.value;
}

const fingerprintOf = (secretKey: string): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'colophon key fingerprint', FINGERPRINT_BYTES)).toString(
    'hex',
  );

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

async function readKey(file: string): Promise<string | undefined> {
  try {
    const key = await readFile(file, 'utf8');
    if (key.length < 32) {
      throw new Error(`${file} is damaged: it contains no key. Restore it from a backup of the data folder.`);
    }
    return key;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** Creates the key of new data. */
async function createKey({ query }: Database, file: string, ifLost: string): Promise<string> {
  if ((await recordedFingerprint(query)) !== undefined) {
    // Another process may have created and recorded it meanwhile.
    const created = await readKey(file);
    if (created !== undefined) {
      return created;
    }
    throw new Error(
      `The secret key of this database is missing: ${file} does not exist. ${CONSEQUENCE} ` +
        `Restore the file from a backup of the data folder, or set COLOPHON_SECRET_KEY to the key. ${ifLost}`,
    );
  }
  return await createKeyFile(file);
}

/**
 * Creates the file of a key, or reads the one that another process creates at the same time: the key is written to a
 * file of another name, synced and then linked into place, so that every process reads the same complete key.
 */
async function createKeyFile(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(randomBytes(32).toString('base64url'));
    await handle.sync();
    await link(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      throw error;
    }
  } finally {
    await handle.close();
    await rm(draft);
  }
  await syncFolder(join(file, '..'));
  const created = await readKey(file);
  if (created === undefined) {
    throw new Error(`${file} was deleted while the server started. Start it again.`);
  }
  return created;
}
