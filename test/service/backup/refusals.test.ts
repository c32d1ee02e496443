import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { keyToBackUp, requireKeyToRestore } from '../../../server/app/secret-keys/secret-key.ts';
import { BackupError } from '../../../server/database/backup/errors.ts';
import { readBackup } from '../../../server/database/backup/read-backup.ts';
import { type DatabaseLocation, openDatabase } from '../../../server/database/database.ts';
import { migrations } from '../../../server/database/migrations/index.ts';
import { BACKED_UP_KEY, backUp, restore, useBackups } from '../../support/database/backups.ts';
import { testEngine } from '../../support/database/engines.ts';
import { fillEveryTable, readEveryTable } from '../../support/database/every-table.ts';
import { withUnmigrated } from '../../support/database/unmigrated.ts';
import { userRow } from '../database/rows.ts';

const backups = useBackups();
const { place } = backups;

async function placeWith(user: string): Promise<DatabaseLocation> {
  const location = await place();
  const database = await openDatabase(location);
  await database.query.insertInto('users').values(userRow(user)).execute();
  await database.close();
  return location;
}

async function usersOf(location: DatabaseLocation): Promise<string[]> {
  const database = await openDatabase(location);
  try {
    return (await database.query.selectFrom('users').select('id').execute()).map(({ id }) => id);
  } finally {
    await database.close();
  }
}

/** Files of a data folder, without the lock of servers. */
const filesOf = async (location: DatabaseLocation): Promise<string[]> =>
  'folder' in location
    ? (await readdir(location.folder)).filter((name) => name !== 'server.lock').sort()
    : [];

describe('a damaged backup', () => {
  beforeEach(async () => {
    const location = await place();
    await withUnmigrated(location, (db) =>
      db.connection().execute((connection) => fillEveryTable(connection, 5)),
    );
    await backUp(location, backups.file);
  });

  test('is detected wherever a byte is changed that changes the content', async () => {
    const content = await readBackup(backups.file);
    const bytes = await readFile(backups.file);
    const step = Math.ceil(bytes.length / 400);
    const undetected: number[] = [];
    for (let at = 0; at < bytes.length; at += step) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x04;
      await writeFile(backups.file, damaged);
      const outcome = await readBackup(backups.file).catch((error: unknown) => error);
      // Compressed data has unused bits.
      if (!(outcome instanceof BackupError || isDeepStrictEqual(outcome, content))) {
        undetected.push(at);
      }
    }
    expect(undetected).toEqual([]);
  });

  test('is detected wherever it ends, and named', async () => {
    const { length } = await readFile(backups.file);
    for (const end of [length - 1, length - 100, Math.floor(length / 2), 1000, 300, 10, 0]) {
      await truncate(backups.file, end);
      await expect(readBackup(backups.file)).rejects.toThrow(BackupError);
      await expect(readBackup(backups.file)).rejects.toThrow(backups.file);
    }
  });

  test('is detected if it contains more', async () => {
    await writeFile(backups.file, Buffer.concat([await readFile(backups.file), Buffer.from('more')]));
    await expect(readBackup(backups.file)).rejects.toThrow(/is damaged: it has content after its end/);
  });

  test('is not restored: the place remains as it was', async () => {
    const { length } = await readFile(backups.file);
    await truncate(backups.file, length - 1);
    const [empty, full] = [await place({ blank: true }), await placeWith('usr_a')];
    const before = await filesOf(full);
    await expect(restore(backups.file, empty)).rejects.toThrow(/is damaged: the end of the file is missing/);
    await expect(restore(backups.file, full, { replace: true })).rejects.toThrow(/is damaged/);
    expect(await filesOf(empty)).toEqual([]);
    expect(await filesOf(full)).toEqual(before);
    expect(await usersOf(full)).toEqual(['usr_a']);
    expect(await usersOf(empty)).toEqual([]);
  });
});

describe('a place with data', () => {
  test('is refused and not changed', async () => {
    const [source, target] = [await placeWith('usr_a'), await placeWith('usr_b')];
    await backUp(source, backups.file);
    await expect(restore(backups.file, target)).rejects.toThrow(/contains data\. .* add --replace/);
    expect(await usersOf(target)).toEqual(['usr_b']);
  });

  test('is replaced on request, and its data are kept', async () => {
    const [source, target] = [await placeWith('usr_a'), await placeWith('usr_b')];
    if ('folder' in target) {
      await writeFile(join(target.folder, 'secret-key'), 'the former key');
    }
    await backUp(source, backups.file);
    const now = new Date('2026-01-31T23:59:59.999Z');
    const { replaced } = await restore(backups.file, target, { replace: true, now });
    expect(await usersOf(target)).toEqual(['usr_a']);
    if ('folder' in target) {
      const former = join(target.folder, 'replaced-20260131-235959');
      expect(replaced).toBe(former);
      expect(await usersOf({ folder: former })).toEqual(['usr_b']);
      expect(await readFile(join(former, 'secret-key'), 'utf8')).toBe('the former key');
      expect(await readFile(join(target.folder, 'secret-key'), 'utf8')).toBe(BACKED_UP_KEY.key);
    } else {
      expect(replaced).toBe('the schema "replaced-20260131-235959"');
      const rows = await withUnmigrated(target, async (db) => {
        const users = sql.table('replaced-20260131-235959.users');
        return (await sql`select "id" from ${users}`.execute(db)).rows;
      });
      expect(rows).toEqual([{ id: 'usr_b' }]);
    }
  });

  test('is refused while it is used', async () => {
    const [source, target] = [await placeWith('usr_a'), await placeWith('usr_b')];
    await backUp(source, backups.file);
    if ('folder' in target) {
      const { lockFolder } = await import('../../../server/database/folder/folder-lock.ts');
      const lock = await lockFolder(target.folder);
      await expect(restore(backups.file, target, { replace: true })).rejects.toThrow(
        /in use by another server/,
      );
      lock.release();
      const reader = new DatabaseSync(join(target.folder, 'colophon.sqlite'));
      reader.exec('begin; select * from users');
      const writer = await openDatabase(target);
      await writer.query.insertInto('users').values(userRow('usr_c')).execute();
      await expect(restore(backups.file, target, { replace: true })).rejects.toThrow(
        /in use by another program/,
      );
      await writer.query.deleteFrom('users').where('id', '=', 'usr_c').execute();
      await writer.close();
      reader.close();
      expect((await filesOf(target)).filter((name) => !name.startsWith('colophon.sqlite'))).toEqual([]);
    } else {
      const database = await openDatabase(target);
      await database.ready();
      await expect(restore(backups.file, target, { replace: true })).rejects.toThrow(
        /is in use: stop all servers/,
      );
      await database.close();
      const seenAt = new Date().toISOString();
      await withUnmigrated(target, (db) =>
        sql`insert into "countingProcesses" ("id", "seenAt") values ('a', ${seenAt})`.execute(db),
      );
      await expect(restore(backups.file, target, { replace: true })).rejects.toThrow(
        /is in use: stop all servers/,
      );
    }
    expect(await usersOf(target)).toEqual(['usr_b']);
  });

  test.runIf(testEngine() === 'sqlite')('is replaced even if it is damaged, and kept as it is', async () => {
    const [source, target] = [await placeWith('usr_a'), await placeWith('usr_b')];
    await backUp(source, backups.file);
    const folder = 'folder' in target ? target.folder : '';
    const damaged = { 'colophon.sqlite': 'no database', 'colophon.sqlite-wal': 'no log' };
    for (const [name, content] of Object.entries(damaged)) {
      await writeFile(join(folder, name), content);
    }
    const { replaced = '' } = await restore(backups.file, target, { replace: true });
    expect(await usersOf(target)).toEqual(['usr_a']);
    for (const [name, content] of Object.entries(damaged)) {
      expect(await readFile(join(replaced, name), 'utf8')).toBe(content);
    }
  });

  test.runIf(testEngine() === 'postgres')('of another program is never replaced', async () => {
    const [source, target] = [await placeWith('usr_a'), await place({ blank: true })];
    await backUp(source, backups.file);
    await withUnmigrated(target, (db) => sql`create table "other" ("a" text)`.execute(db));
    await expect(restore(backups.file, target, { replace: true })).rejects.toThrow(
      /tables of another program/,
    );
  });
});

test('an interrupted restoration leaves the place as it was', async () => {
  const [source, target] = [await placeWith('usr_a'), await placeWith('usr_b')];
  await backUp(source, backups.file);
  const before = { files: await filesOf(target), tables: await readEveryTable(target) };
  const interrupted = new Error('interrupted');
  const prepare = async () => {
    throw interrupted;
  };
  for (const options of [{ signal: AbortSignal.abort(interrupted) }, { prepare }]) {
    await expect(restore(backups.file, target, { replace: true, ...options })).rejects.toThrow(interrupted);
    expect(await filesOf(target)).toEqual(before.files);
    expect(await readEveryTable(target)).toEqual(before.tables);
  }
});

test('an interrupted backup leaves no file, and none overwrites another', async () => {
  const location = await placeWith('usr_a');
  await expect(backUp(location, backups.file, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(await readdir(backups.folder)).toEqual([]);
  await writeFile(backups.file, 'precious');
  await expect(backUp(location, backups.file)).rejects.toThrow(/exists\. Backups do not overwrite files/);
  expect(await readFile(backups.file, 'utf8')).toBe('precious');
});

test('an empty or missing database is not backed up', async () => {
  await expect(backUp(await place({ blank: true }), backups.file)).rejects.toThrow(BackupError);
  expect(await readdir(backups.folder)).toEqual([]);
});

test('a backup of a newer release is refused, in its data or its format', async () => {
  await backUp(await placeWith('usr_a'), backups.file);
  const bytes = await readFile(backups.file, 'latin1');
  const target = await place({ blank: true });
  const names = migrations.map(([name]) => name);
  await writeFile(backups.file, bytes.replace(`"${names.at(-1)}"`, '"next-year"'), 'latin1');
  await expect(restore(backups.file, target)).rejects.toThrow(/from a newer release: .*next-year/);
  await writeFile(backups.file, bytes.replace('"version":1', '"version":2'), 'latin1');
  await expect(restore(backups.file, target)).rejects.toThrow(
    /by a newer release, in version 2 of the format/,
  );
});

describe('the secret key', () => {
  const Key = 'the secret key of the data, 32 characters or more';
  const Other = 'another secret key, of 32 characters or more';
  const options = (secretKey?: string) => ({ secretKey, dataFolder: backups.folder });
  const fingerprintOf = async (key: string): Promise<string> => {
    const { requireSecretKey } = await import('../../../server/app/secret-keys/secret-key.ts');
    const database = await openDatabase(await place());
    await requireSecretKey(database, options(key), '');
    const row = await database.query
      .selectFrom('settings')
      .select('value')
      .where('key', '=', 'secret key')
      .executeTakeFirstOrThrow();
    await database.close();
    return row.value;
  };

  test('is backed up only if it is that of the data, and in the data folder', async () => {
    const fingerprint = await fingerprintOf(Key);
    const setting = async () => fingerprint;
    expect(await keyToBackUp(options(Key), setting)).toEqual({ fingerprint, key: undefined });
    await expect(keyToBackUp(options(Other), setting)).rejects.toThrow(
      /COLOPHON_SECRET_KEY is not the secret key/,
    );
    await expect(keyToBackUp(options(), setting)).rejects.toThrow(/is missing: .* does not exist/);
    await writeFile(join(backups.folder, 'secret-key'), Key);
    expect(await keyToBackUp(options(), setting)).toEqual({ fingerprint, key: Key });
    await expect(keyToBackUp(options(Key), async () => undefined)).rejects.toThrow(/have no secret key yet/);
  });

  test('is required to restore: it is in the backup, or configured', async () => {
    const fingerprint = await fingerprintOf(Key);
    const [inside, outside] = (['backup', 'configuration'] as const).map((where) => ({
      fingerprint,
      place: where,
    }));
    if (!inside || !outside) {
      throw new Error('There are two places.');
    }
    expect(await requireKeyToRestore(options(), inside)).toBe(true);
    expect(await requireKeyToRestore(options(Key), inside)).toBe(false);
    expect(await requireKeyToRestore(options(Key), outside)).toBe(false);
    await expect(requireKeyToRestore(options(Other), inside)).rejects.toThrow(
      /is not the secret key of the backup/,
    );
    await expect(requireKeyToRestore(options(Other), outside)).rejects.toThrow(
      /is not the secret key of the backup/,
    );
    await expect(requireKeyToRestore(options(), outside)).rejects.toThrow(/does not contain its secret key/);
  });
});
