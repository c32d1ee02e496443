import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { writeJson } from '../../../server/database/json.ts';
import { createId } from '../../../server/database/seams.ts';
import { createQueue, type Queue } from '../../../server/jobs/queue.ts';
import { MAX_SEARCH_INTERVAL_MS } from '../../../server/jobs/work-search.ts';
import { testEngine } from '../../support/database/engines.ts';
import { hasOwnPostgres, type OwnPostgres, startOwnPostgres } from '../../support/database/own-postgres.ts';
import { hasPgBouncer, startPgBouncer } from '../../support/database/pgbouncer.ts';
import { administer } from '../../support/database/postgres.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { log, note } from './job-queues.ts';

/** Longer than the tests may take: what a queue finds in time, it did not find by polling. */
const NEVER_MS = 10 * MAX_SEARCH_INTERVAL_MS;
/** Time without statements. A queue that polls would send some each {@link SHORT_POLL_MS}. */
const IDLE_MS = 300;
const SHORT_POLL_MS = 20;

describe.runIf(testEngine() === 'postgres' && hasOwnPostgres())('signals for work', () => {
  let own: OwnPostgres;
  let db: Database;
  let other: Database;
  let queues: Queue[] = [];
  const clock = () => new Date();

  beforeAll(async () => {
    own = await startOwnPostgres();
    db = await openDatabase({ url: own.server.url });
    // A second handle, like that of another process.
    other = await openDatabase({ url: own.server.url });
  });
  afterEach(async () => {
    await Promise.all(queues.map((queue) => queue.stop({ grace: 0 })));
    queues = [];
  });
  afterAll(async () => {
    await Promise.all([db.close(), other.close()]);
    await own.close();
  });

  function startQueue(database: Database, poll: number): { queue: Queue; performed: string[] } {
    const queue = createQueue({ database, clock, createId, log, poll });
    queues.push(queue);
    const performed: string[] = [];
    queue.register(note, async ({ payload }) => {
      performed.push(payload.text);
    });
    queue.start();
    return { queue, performed };
  }

  /** Waits until a database receives signals. */
  async function untilSignalled(database: Database): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watch = database.watchWork(resolve);
    if (!watch.isSignalled()) {
      await promise;
    }
    expect(watch.isSignalled()).toBe(true);
    watch.stop();
  }

  /** Enqueues a note as another process does, and waits until it was performed. */
  async function perform(queue: Queue, text: string, database = other): Promise<void> {
    const sender = createQueue({ database, clock, createId, log });
    const job = { kind: note, organization: 'org_1', payload: { text } };
    const id = await database.transaction((trx) => sender.enqueue(trx, job));
    expect(await queue.waitFor(id)).toEqual({ state: 'done', lastError: null });
  }

  test('wake a queue after a commit of another process', async () => {
    const { queue, performed } = startQueue(db, NEVER_MS);
    await untilSignalled(db);
    await queue.idle();
    await perform(queue, 'signalled');
    expect(performed).toEqual(['signalled']);
  });

  test('are sent for events that are raised', async () => {
    await untilSignalled(db);
    const { promise: signalled, resolve } = Promise.withResolvers<void>();
    const watch = db.watchWork(resolve);
    const event = {
      organization: 'org_1',
      type: 'space_view',
      integration: null,
      installation: null,
      fields: writeJson({}),
      configuration: null,
      raisedAt: clock().toISOString(),
    } as const;
    await other.transaction(async (trx) => {
      await trx.insertInto('raisedEvents').values(event).execute();
    });
    await signalled;
    watch.stop();
    await other.query.deleteFrom('raisedEvents').execute();
  });

  test('let an idle queue send no statements', async () => {
    const { queue } = startQueue(db, SHORT_POLL_MS);
    await untilSignalled(db);
    await queue.idle();
    const { sql } = await statementsOf(() => delay(IDLE_MS));
    expect(sql).toEqual([]);
  });

  test('are replaced by polling while their connection is lost, and are received again', async () => {
    const { queue, performed } = startQueue(db, SHORT_POLL_MS);
    await untilSignalled(db);
    await administer(
      own.server.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %'`,
    );
    await perform(queue, 'polled');
    expect(performed).toEqual(['polled']);
    await untilSignalled(db);
  });

  describe.runIf(hasPgBouncer)('through PgBouncer in transaction mode', () => {
    test('are not needed', async () => {
      const pooler = await startPgBouncer(own.server, 3);
      const location = { url: pooler.url, preparesStatements: false };
      const pooled = await openDatabase(location, { migrated: true });
      const { queue, performed } = startQueue(pooled, SHORT_POLL_MS);
      await queue.idle();
      await perform(queue, 'pooled');
      expect(performed).toEqual(['pooled']);
      await queue.stop();
      await pooled.close();
      await pooler.close();
    });
  });
});
