import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { Notifications } from '../../../server/database/engines/notifications.ts';
import { COLLIDED } from '../../../server/database/locks.ts';
import { testEngine } from '../../support/database/engines.ts';
import {
  hasOwnPostgres,
  increment,
  type OwnPostgres,
  readCount,
  startOwnPostgres,
} from '../../support/database/own-postgres.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../support/database/pgbouncer.ts';
import { administer } from '../../support/database/postgres.ts';
import { statementsOf } from '../../support/database/statements.ts';

/** Time that a writer waits for another one. Without signals, it would poll about 30 times. */
const WAIT_MS = 300;
/** Maximum time until writers receive signals. */
const LISTEN_TIMEOUT_MS = 15_000;

/** Holds a lock with a ticket, as after a conflict. Returns a function that releases it. */
async function hold(database: Database, key: string): Promise<() => Promise<void>> {
  const { promise: holding, resolve: holds } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let attempts = 0;
  const held = database.inTurn(key, async () => {
    attempts += 1;
    if (attempts === 1) {
      return COLLIDED;
    }
    holds();
    await released;
    // As most work, it needs a connection.
    await readCount(database, key);
    return undefined;
  });
  await holding;
  return async () => {
    release();
    await held;
  };
}

describe.runIf(testEngine() === 'postgres' && hasOwnPostgres())('signals for locks', () => {
  let own: OwnPostgres;
  let db: Database;
  let other: Database;

  beforeAll(async () => {
    own = await startOwnPostgres();
    db = await openDatabase({ url: own.server.url });
    // A second handle, like that of another process.
    other = await openDatabase({ url: own.server.url });
  });
  afterAll(async () => {
    await Promise.all([db.close(), other.close()]);
    await own.close();
  });

  /** Returns the statements of a writer that waits for another process, during the wait and from its end on. */
  async function statementsOfWaiter(): Promise<{ waiting: string[]; following: string[] }> {
    const release = await hold(db, 'signals');
    let waiter: Promise<unknown> | undefined;
    const waiting = await statementsOf(async () => {
      waiter = other.inTurn('signals', async () => undefined);
      await delay(WAIT_MS);
    });
    const following = await statementsOf(async () => await Promise.all([release(), waiter]));
    return { waiting: waiting.sql, following: following.sql };
  }

  /** Waits until a waiting writer sends no statements. */
  const untilSignalled = () =>
    vi.waitFor(
      async () => {
        const statements = await statementsOfWaiter();
        expect(statements.waiting).toHaveLength(2);
        return statements;
      },
      { timeout: LISTEN_TIMEOUT_MS },
    );

  test('wake a writer of another process, which does not poll', async () => {
    const { waiting, following } = await untilSignalled();
    expect(waiting).toEqual([
      expect.stringMatching(/^select .*"lockTickets"/),
      expect.stringMatching(/^insert into "lockTickets"/),
    ]);
    // The read of the holder, and the end of each ticket: the signal names the next one.
    expect(following).toEqual([
      expect.stringContaining('"counters"'),
      expect.stringContaining('pg_notify'),
      expect.stringContaining('pg_notify'),
    ]);
  });

  test('cost an idle process no statements', async () => {
    await untilSignalled();
    const { sql } = await statementsOf(() => delay(WAIT_MS));
    expect(sql).toEqual([]);
  });

  test('are replaced by polling while their connection is lost, and are received again', async () => {
    await untilSignalled();
    const release = await hold(db, 'lost');
    const waiter = other.inTurn('lost', async () => 'done');
    // Including the connections of the holder.
    await administer(
      own.server.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'colophon'`,
    );
    await release();
    expect(await waiter).toBe('done');
    await untilSignalled();
  });

  describe.runIf(hasPgBouncer)('through PgBouncer in transaction mode', () => {
    let pooler: PgBouncer;

    beforeAll(async () => {
      pooler = await startPgBouncer(own.server, 3);
    });
    afterAll(() => pooler.close());

    test('are not needed for locks', async () => {
      const location = { url: pooler.url, preparesStatements: false };
      const handles = await Promise.all([1, 2, 3, 4].map(() => openDatabase(location, { migrated: true })));
      const writers = Array.from({ length: 10 }, () => handles).flat();
      const { sql } = await statementsOf(() =>
        Promise.all(
          writers.map((handle) => handle.inTurn('pooled', async () => await increment(handle, 'pooled'))),
        ),
      );
      expect(await readCount(db, 'pooled')).toBe(writers.length);
      expect(sql.filter((statement) => statement.startsWith('listen'))).toEqual([]);

      const [holder, waiting] = handles;
      if (!holder || !waiting) {
        throw new Error('There are handles.');
      }
      const release = await hold(holder, 'pooled');
      const waiter = waiting.inTurn('pooled', async () => 'done');
      await release();
      expect(await waiter).toBe('done');
      await Promise.all(handles.map((handle) => handle.close()));
    });

    test('are not expected from a pooler that does not deliver them', async () => {
      const pool = new pg.Pool({ connectionString: pooler.url });
      const { promise: failure, resolve } = Promise.withResolvers<object>();
      const log = { debug: resolve, info() {}, warn() {}, error() {} };
      const send = async (text: string, values: readonly unknown[]) =>
        await pool.query({ text, values: [...values] });
      const notifications = new Notifications(pooler.url, send, log);
      notifications.subscribe('channel', { receive() {}, interrupted() {} });
      expect(notifications.connection('channel')).toBeUndefined();
      expect(await failure).toEqual({ err: new Error('The notification did not arrive.') });
      expect(notifications.connection('channel')).toBeUndefined();
      notifications.close();
      await pool.end();
    });
  });
});
