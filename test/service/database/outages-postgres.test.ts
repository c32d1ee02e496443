import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import {
  MAX_CONNECTIONS,
  QUERY_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from '../../../server/database/engines/postgres-pool.ts';
import { DatabaseUnavailableError } from '../../../server/database/errors.ts';
import { testEngine } from '../../support/database/engines.ts';
import {
  hasOwnPostgres,
  increment,
  type OwnPostgres,
  type RecordedLog,
  readCount,
  recordLog,
  startOwnPostgres,
} from '../../support/database/own-postgres.ts';
import { administer } from '../../support/database/postgres.ts';
import { userRow } from './rows.ts';

describe.runIf(testEngine() === 'postgres' && hasOwnPostgres())('PostgreSQL', () => {
  let own: OwnPostgres;
  let log: RecordedLog;
  let database: Database;
  const opened: Database[] = [];

  const open = async (parameters = '') => {
    const handle = await openDatabase({ url: own.url + parameters }, { log });
    opened.push(handle);
    return handle;
  };
  const back = () =>
    vi.waitFor(async () => expect(await database.ready()).toBe(true), { timeout: 60_000, interval: 100 });

  beforeAll(async () => {
    own = await startOwnPostgres();
  });
  beforeEach(async () => {
    log = recordLog();
    database = await open();
  });
  afterEach(async () => {
    own.proxy.mode = 'pass';
    await own.server.resume();
    await own.proxy.listen();
    await Promise.all(opened.splice(0).map((handle) => handle.close()));
  });
  afterAll(() => own.close());

  const terminateAll = () =>
    administer(
      own.server.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'colophon'`,
    );

  test('loses and repeats no write when connections are terminated under load', async () => {
    let acknowledged = 0;
    let going = true;
    const writer = async (name: string) => {
      while (going) {
        await increment(database, name);
        acknowledged += 1;
      }
    };
    const reader = async () => {
      while (going) {
        await readCount(database, 'a');
      }
    };
    const names = ['a', 'b', 'c', 'd'];
    const working = Promise.all([...names.map(writer), ...names.map(reader)]);
    for (let round = 0; round < 10; round++) {
      const before = acknowledged;
      await vi.waitFor(() => expect(acknowledged).toBeGreaterThan(before + 5), { timeout: 60_000 });
      await terminateAll();
    }
    going = false;
    await working;
    const counts = await Promise.all(names.map((name) => readCount(database, name)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(acknowledged);
  });

  test('waits for a restart under load, is not ready meanwhile, and logs it once', async () => {
    await own.server.halt('fast');
    const waiting = [increment(database, 'restart'), readCount(database, 'restart')];
    await vi.waitFor(() => expect(log.lines).toHaveLength(1), { timeout: 60_000 });
    expect(await database.ready()).toBe(false);
    await own.server.resume();
    await Promise.all(waiting);
    await back();
    expect(await readCount(database, 'restart')).toBe(1);
    expect(log.lines).toEqual([
      { level: 'error', reason: 'unreachable', message: expect.stringContaining('DATABASE_URL') },
      { level: 'info', message: 'the database is available again' },
    ]);
  });

  test('reports that nothing was written in the error of a lasting outage', async () => {
    await own.proxy.refuse();
    const calls = await Promise.allSettled([
      increment(database, 'refused'),
      readCount(database, 'refused'),
      ...Array.from({ length: 30 }, () => increment(database, 'refused')),
    ]);
    for (const call of calls) {
      expect(call).toMatchObject({
        status: 'rejected',
        reason: { name: 'DatabaseUnavailableError', reason: 'unreachable', outcome: 'not written' },
      });
    }
    expect(log.lines).toHaveLength(1);
    await own.proxy.listen();
    await back();
    expect(await readCount(database, 'refused')).toBe(0);
  });

  test.each([
    ['before', 2],
    ['answered', 1],
  ] as const)('never repeats a write when the connection is cut at the commit (%s)', async (when, runs) => {
    const name = `cut ${when}`;
    const cut = own.proxy.cutAt(/transaction_outcomes.*commit/s, when);
    let attempts = 0;
    await database.transaction(async (trx) => {
      attempts += 1;
      await trx.insertInto('counters').values({ organization: 'org_1', name, value: attempts }).execute();
    });
    await cut;
    expect(attempts).toBe(runs);
    expect(await readCount(database, name)).toBe(runs);
  });

  test('reports a commit whose outcome is unknown, and does not run it again', async () => {
    const cut = own.proxy.cutAt(/transaction_outcomes.*commit/s, 'answered').then(() => own.proxy.refuse());
    let attempts = 0;
    const writing = database.transaction(async (trx) => {
      attempts += 1;
      await trx.insertInto('users').values(userRow('usr_unknown')).execute();
    });
    await expect(writing).rejects.toMatchObject({ reason: 'unreachable', outcome: 'unknown' });
    await cut;
    expect(attempts).toBe(1);
  });

  test('queues calls beyond the number of connections, and rejects them in the end', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const startedAt = Array.from({ length: MAX_CONNECTIONS }, () => Promise.withResolvers<void>());
    const transactions = startedAt.map(({ resolve }) =>
      database.transaction(async (trx) => {
        await sql`select 1`.execute(trx);
        resolve();
        await released;
      }),
    );
    await Promise.all(startedAt.map(({ promise }) => promise));
    await expect(readCount(database, 'full')).rejects.toMatchObject({ reason: 'overloaded' });
    const waiting = readCount(database, 'full');
    release();
    await Promise.all(transactions);
    expect(await waiting).toBe(0);
  });

  test('limits every connection, and configures the planner for short statements', async () => {
    const show = async (name: string) =>
      (await sql<Record<string, string>>`show ${sql.raw(name)}`.execute(database.query)).rows[0]?.[name];
    expect(await show('statement_timeout')).toBe('30s');
    expect(await show('idle_in_transaction_session_timeout')).toBe('1min');
    expect(await show('jit')).toBe('off');
    expect(await show('max_parallel_workers_per_gather')).toBe('0');
    expect(await show('random_page_cost')).toBe('1.1');
  });

  test('cancels a statement that takes too long, and keeps the connections usable', async () => {
    const slow = database.transaction(async (trx) => {
      await sql`set local statement_timeout = 50`.execute(trx);
      await sql`select pg_sleep(60)`.execute(trx);
    });
    await expect(slow).rejects.toMatchObject({ reason: 'timeout', outcome: 'not written' });
    await increment(database, 'after a timeout');
  });

  test('reruns a transaction that was ended while it was idle', async () => {
    let attempts = 0;
    await database.transaction(async (trx) => {
      attempts += 1;
      await trx.insertInto('users').values(userRow('usr_idle')).execute();
      if (attempts > 1) {
        return;
      }
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await sql`set local idle_in_transaction_session_timeout = 50`.execute(trx);
      await vi.waitFor(async () => {
        const pid = rows[0]?.pid ?? 0;
        await administer(
          own.server.url,
          `do $$ begin
             if exists (select 1 from pg_stat_activity where pid = ${pid}) then raise 'it runs'; end if;
           end $$`,
        );
      });
      await sql`select 1`.execute(trx);
    });
    expect(attempts).toBe(2);
  });

  test('abandons a server that no longer responds', async () => {
    const slowConnection = await open('?query_timeout=300');
    expect(await readCount(slowConnection, 'silent')).toBe(0);
    own.proxy.mode = 'silent';
    await expect(readCount(slowConnection, 'silent')).rejects.toMatchObject({ reason: 'timeout' });
    expect(await slowConnection.ready()).toBe(false);
    own.proxy.mode = 'pass';
    await vi.waitFor(async () => expect(await readCount(slowConnection, 'silent')).toBe(0), {
      timeout: 60_000,
    });
  });

  test('abandons a server that no longer responds in time without a limit in the URL', async () => {
    expect(await readCount(database, 'silent')).toBe(0);
    own.proxy.mode = 'silent';
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const outcome = { isSettled: false };
      const reading = readCount(database, 'silent').finally(() => {
        outcome.isSettled = true;
      });
      reading.catch(() => undefined);
      await vi.advanceTimersByTimeAsync(STATEMENT_TIMEOUT_MS);
      expect(outcome.isSettled).toBe(false);
      await vi.advanceTimersByTimeAsync(QUERY_TIMEOUT_MS - STATEMENT_TIMEOUT_MS);
      expect(outcome.isSettled).toBe(true);
      await expect(reading).rejects.toMatchObject({ reason: 'timeout' });
    } finally {
      vi.useRealTimers();
      own.proxy.mode = 'pass';
      // Calls that would wait forever fail now.
      await terminateAll();
    }
    await back();
  });

  test('leaves no transaction open after a failing rollback', async () => {
    // Of its many signatures the server uses one: a text with its values, with a promise as the result.
    type Query = (config: pg.QueryConfig) => Promise<pg.QueryResult>;
    const query = pg.Client.prototype.query as unknown as Query;
    const spied = vi.spyOn(pg.Client.prototype, 'query');
    const failingRollback: Query = async function (this: pg.Client, config) {
      if (config.text === 'rollback') {
        throw new Error('The rollback failed.');
      }
      return await query.call(this, config);
    };
    spied.mockImplementation(failingRollback as never);
    try {
      const failing = database.transaction(async (trx) => {
        await trx.insertInto('users').values(userRow('usr_half')).execute();
        throw new Error('It ends halfway.');
      });
      await expect(failing).rejects.toThrow('It ends halfway.');
      expect(spied.mock.calls).toContainEqual([expect.objectContaining({ text: 'rollback' })]);
    } finally {
      spied.mockRestore();
    }
    // Sequential calls use the connection that was used last.
    for (let count = 1; count <= 3; count++) {
      await increment(database, 'after a rollback');
      expect(await readCount(database, 'after a rollback')).toBe(count);
    }
    const left = database.query.selectFrom('users').select('id').where('id', '=', 'usr_half').execute();
    expect(await left).toEqual([]);
  });

  test('never runs queries outside their transaction after a concurrent one failed', async () => {
    const failing = database.transaction(async (trx) => {
      const insert = (id: string) => trx.insertInto('users').values(userRow(id)).execute();
      await Promise.all([sql`select 1 / 0`.execute(trx), insert('usr_side_1'), insert('usr_side_2')]);
    });
    await expect(failing).rejects.toThrow(/division by zero/);
    await expect(failing).rejects.not.toBeInstanceOf(DatabaseUnavailableError);
    const left = database.query.selectFrom('users').select('id').where('id', 'like', 'usr_side_%').execute();
    expect(await left).toEqual([]);
  });

  test('tests readiness at most once a second', async () => {
    const writes = async () => {
      const { rows } = await sql<{ value: string }>`
        select value from settings where key = 'write test'`.execute(database.query);
      return rows[0]?.value;
    };
    const seen = new Set<string | undefined>();
    const startedAt = performance.now();
    for (let requested = 0; requested < 200; requested++) {
      expect(await database.ready()).toBe(true);
      seen.add(await writes());
    }
    expect(seen.size).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1000);
  });
});
