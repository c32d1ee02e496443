// Runs on one engine: files of SQLite are damaged.
import {
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../server/database/database.ts';
import { copyMigrated } from '../../support/database/engines.ts';
import { recordLog } from '../../support/database/own-postgres.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { userRow } from './rows.ts';

const KEY = 'the secret key of the data, 32 characters or more';
const PAGE_BYTES = 4096;

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-damaged-'));
  file = join(folder, 'colophon.sqlite');
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, content: string) => writeFile(join(folder, name), content);

/** Overwrites bytes of a file. */
async function overwrite(path: string, bytes: Uint8Array, position: number): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(bytes, 0, bytes.byteLength, position);
  await handle.close();
}

describe('a missing database', () => {
  const Databases: ReadonlyArray<readonly [string, () => unknown]> = [
    ['missing', () => undefined],
    ['empty', () => write('colophon.sqlite', '')],
    ['without tables', () => createWithoutTables()],
  ];
  const createWithoutTables = () => {
    const database = new DatabaseSync(file);
    database.exec('pragma journal_mode = wal; create table "a" ("b"); drop table "a"');
    database.close();
  };

  test.each(Databases)('is not replaced next to the key of its data: %s', async (_, create) => {
    await create();
    await write('secret-key', KEY);
    const before = await readdir(folder);
    await expect(openDatabase({ folder })).rejects.toThrow(
      `The database ${file} is missing or empty, but the file secret-key of its data is not. Restore ` +
        'colophon.sqlite from a backup. If there is no data to restore, move secret-key elsewhere: the server then ' +
        'creates a new database.',
    );
    expect(await readdir(folder)).toEqual(before);
    expect(await readFile(join(folder, 'secret-key'), 'utf8')).toBe(KEY);

    // As the message states.
    await rm(join(folder, 'secret-key'));
    await (await openDatabase({ folder })).close();
  });

  test.each(Databases.slice(0, 2))(
    'is not replaced next to its write-ahead log, which SQLite would delete: %s',
    async (_, create) => {
      await create();
      await write('colophon.sqlite-wal', 'frames');
      await expect(openDatabase({ folder })).rejects.toThrow(
        /the file colophon\.sqlite-wal of its data is not/,
      );
      expect(await readFile(join(folder, 'colophon.sqlite-wal'), 'utf8')).toBe('frames');
    },
  );

  test.each(Databases)(
    'is created without a key, as after a crash of the first start: %s',
    async (_, create) => {
      await create();
      await (await openDatabase({ folder })).close();
      expect((await stat(file)).size).toBeGreaterThan(PAGE_BYTES);
    },
  );
});

/** Damages a database that is closed, in ways that SQLite detects when it opens it. */
const DAMAGES: Readonly<Record<string, () => Promise<void>>> = {
  'another file': () => writeFile(file, 'x'.repeat(3 * PAGE_BYTES)),
  'a short file': () => writeFile(file, 'SQLite'),
  'a damaged header': () => overwrite(file, Buffer.alloc(100, 0xff), 0),
  'a truncated file': async () => truncate(file, (await stat(file)).size - PAGE_BYTES),
  'a file truncated to its first page': () => truncate(file, PAGE_BYTES),
  'a damaged first page': () => overwrite(file, Buffer.alloc(PAGE_BYTES - 100, 0xff), 100),
};

test.each(Object.entries(DAMAGES))('a corrupt database is to be restored: %s', async (_, damage) => {
  await copyMigrated(folder);
  await damage();
  const size = (await stat(file)).size;
  const log = recordLog();
  await expect(openDatabase({ folder }, { log })).rejects.toMatchObject({
    reason: 'corrupt',
    message: 'The database is corrupt. Nothing was written. Its operator must restore it from a backup.',
    instruction: 'The database is corrupt. Stop the server and restore the database from a backup.',
    retryAfterSeconds: undefined,
  });
  expect((await stat(file)).size).toBe(size);
});

/*
 * The known gap of security.md: if the disk damages the write-ahead log, SQLite regards its rest as the unfinished
 * write of a crash.
 */
test('garbage inside of the write-ahead log drops the later commits, without an error', async () => {
  await copyMigrated(folder);
  const log = `${file}-wal`;
  const sizes: number[] = [];
  const crashed = join(folder, 'crashed');
  const database = await openDatabase({ folder });
  for (const id of ['usr_1', 'usr_2', 'usr_3', 'usr_4']) {
    await database.query.insertInto('users').values(userRow(id)).execute();
    sizes.push((await stat(log)).size);
  }
  // What is on disk while the server runs, as after kill -9.
  await mkdir(crashed);
  await copyFile(file, join(crashed, 'colophon.sqlite'));
  await copyFile(log, join(crashed, 'colophon.sqlite-wal'));
  await database.close();

  await overwrite(join(crashed, 'colophon.sqlite-wal'), Buffer.alloc(64, 0xff), (sizes[1] ?? 0) + 100);
  const reopened = await openDatabase({ folder: crashed });
  const users = await reopened.query.selectFrom('users').select('id').orderBy('id').execute();
  expect(users.map(({ id }) => id)).toEqual(['usr_1', 'usr_2']);
  await reopened.close();
  const check = new DatabaseSync(join(crashed, 'colophon.sqlite'));
  expect(check.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  check.close();
});
