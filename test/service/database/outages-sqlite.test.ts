// Runs on one engine: outages of SQLite are tested.
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { type TestLocation, testLocation } from '../../support/database/engines.ts';
import { increment, type RecordedLog, readCount, recordLog } from '../../support/database/own-postgres.ts';
import { userRow } from './rows.ts';

describe('SQLite', () => {
  let place: TestLocation;
  let file: string;
  let log: RecordedLog;
  let database: Database;

  beforeEach(async () => {
    place = await testLocation();
    file = join('folder' in place.location ? place.location.folder : '', 'colophon.sqlite');
    log = recordLog();
    database = await openDatabase(place.location, { log });
    log.lines.length = 0;
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const back = () =>
    vi.waitFor(async () => expect(await database.ready()).toBe(true), { timeout: 60_000, interval: 50 });
  const users = () => database.query.selectFrom('users').select('id').orderBy('id').execute();
  /** Limits the file to its current number of pages, or removes the limit. */
  const limit = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(database.query);
  const large = (id: string) => ({ ...userRow(id), displayName: 'x'.repeat(100_000) });

  test('fails writes but not reads on a full disk, and recovers once there is space', async () => {
    await database.query.insertInto('users').values(userRow('usr_before')).execute();
    await limit(1);
    const full = { name: 'DatabaseUnavailableError', reason: 'full', outcome: 'not written' };
    const inTransaction = () =>
      database.transaction(async (trx) => {
        await trx.insertInto('users').values(userRow('usr_small')).execute();
        await trx.insertInto('users').values(large('usr_large')).execute();
      });
    for (let round = 0; round < 3; round++) {
      await expect(inTransaction()).rejects.toMatchObject(full);
      await expect(
        database.query.insertInto('users').values(large('usr_single')).execute(),
      ).rejects.toMatchObject(full);
    }
    expect(await users()).toEqual([{ id: 'usr_before' }]);
    expect(await database.ready()).toBe(false);
    expect(log.lines).toEqual([
      { level: 'error', reason: 'full', message: expect.stringContaining('Free space') },
    ]);

    await limit(1_000_000);
    await inTransaction();
    await back();
    expect(await users()).toEqual([{ id: 'usr_before' }, { id: 'usr_large' }, { id: 'usr_small' }]);
    expect(log.lines.at(-1)).toEqual({ level: 'info', message: 'the database is available again' });
  });

  test('writes nothing from a transaction that continues after SQLite rolled it back', async () => {
    await limit(1);
    const transaction = database.transaction(async (trx) => {
      const insert = trx.insertInto('users').values(large('usr_large')).execute();
      await insert.catch(() => {});
      await limitInside(trx);
      await trx.insertInto('users').values(userRow('usr_stray')).execute();
    });
    await expect(transaction).rejects.toThrow(/rolled the transaction back/);
    await limit(1_000_000);
    expect(await users()).toEqual([]);
  });

  const limitInside = async (trx: Parameters<Parameters<Database['transaction']>[0]>[0]) =>
    await sql`pragma max_page_count = 1000000`.execute(trx).catch(() => {});

  test('fails writes after one common wait for the lock of another program, without affecting readers', async () => {
    const foreign = new DatabaseSync(file);
    foreign.exec('begin immediate');
    const startedAt = performance.now();
    const writes = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => increment(database, 'locked')),
      ...Array.from({ length: 5 }, (_, n) =>
        database.query
          .insertInto('users')
          .values(userRow(`usr_${n}`))
          .execute(),
      ),
    ]);
    for (const write of writes) {
      expect(write).toMatchObject({
        status: 'rejected',
        reason: { name: 'DatabaseUnavailableError', reason: expect.stringMatching(/locked|overloaded/) },
      });
    }
    // Sequential writes would wait ten times as long.
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(await database.ready()).toBe(false);
    expect(await readCount(database, 'locked')).toBe(0);
    foreign.exec('commit');
    foreign.close();
    await increment(database, 'locked');
    expect(await readCount(database, 'locked')).toBe(1);
    await back();
  });

  test('waits for a short lock of another program without an outage', async () => {
    const foreign = new DatabaseSync(file);
    foreign.exec('begin immediate');
    expect(await database.ready()).toBe(true);
    const writing = increment(database, 'short');
    setImmediate(() => {
      foreign.exec('commit');
      foreign.close();
    });
    await writing;
    expect(log.lines).toEqual([]);
  });

  test('serves readers from a database that is read-only, and reopens it later', async () => {
    await sql`pragma query_only = 1`.execute(database.query);
    await expect(increment(database, 'read-only')).rejects.toMatchObject({ reason: 'read-only' });
    expect(await readCount(database, 'read-only')).toBe(0);
    await increment(database, 'read-only');
    await back();
    expect(await readCount(database, 'read-only')).toBe(1);
  });

  test('fails only reads of a damaged page', async () => {
    const { rows } = await sql<{ rootpage: number }>`
      select rootpage from sqlite_master where name = 'teams'`.execute(database.query);
    await database.close();
    const raw = await openFile(file, 'r+');
    await raw.write(Buffer.alloc(4096, 0xff), 0, 4096, ((rows[0]?.rootpage ?? 0) - 1) * 4096);
    await raw.close();
    database = await openDatabase(place.location, { log });
    const teams = () => database.query.selectFrom('teams').selectAll().execute();
    await expect(teams()).rejects.toMatchObject({ reason: 'corrupt' });
    await expect(teams()).rejects.toMatchObject({ reason: 'corrupt' });
    await increment(database, 'damaged');
    expect(await readCount(database, 'damaged')).toBe(1);
    await back();
    expect(log.lines.filter(({ reason }) => reason === 'corrupt')).toHaveLength(1);
  });

  test('leaves no transaction open after a failing rollback', async () => {
    const { exec } = DatabaseSync.prototype;
    const spied = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
      this: DatabaseSync,
      text,
    ) {
      if (text === 'rollback') {
        throw new Error('The rollback failed.');
      }
      exec.call(this, text);
    });
    try {
      const failing = database.transaction(async (trx) => {
        await trx.insertInto('users').values(userRow('usr_half')).execute();
        throw new Error('It ends halfway.');
      });
      await expect(failing).rejects.toThrow('It ends halfway.');
      expect(spied).toHaveBeenCalledWith('rollback');
    } finally {
      spied.mockRestore();
    }
    await increment(database, 'after a rollback');
    expect(await readCount(database, 'after a rollback')).toBe(1);
    expect(await users()).toEqual([]);
  });

  test('never runs queries outside their transaction after a concurrent one failed', async () => {
    const failing = database.transaction(async (trx) => {
      const insert = (id: string) => trx.insertInto('users').values(userRow(id)).execute();
      await Promise.all([sql`select nothing`.execute(trx), insert('usr_side_1'), insert('usr_side_2')]);
    });
    await expect(failing).rejects.toThrow(/syntax error/);
    expect(await users()).toEqual([]);
  });

  test('collects planner statistics once tables have grown, also for readers', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => userRow(`usr_${n}`));
    await database.query.insertInto('users').values(rows).execute();
    await database.close();
    database = await openDatabase(place.location, { log });
    const { rows: statistics } = await sql<{ tbl: string }>`
      select distinct tbl from sqlite_stat1 where tbl = 'users'`.execute(database.query);
    expect(statistics).toEqual([{ tbl: 'users' }]);
  });
});
