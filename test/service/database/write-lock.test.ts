// Runs on one engine: the write lock of SQLite is tested.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { WAITING_TRANSACTION } from '../../../server/database/engines/open-transaction.ts';
import { createId } from '../../../server/database/seams.ts';
import { createQueue, jobKind } from '../../../server/jobs/queue.ts';
import { type TestLocation, testLocation } from '../../support/database/engines.ts';
import { type RecordedLog, recordLog } from '../../support/database/own-postgres.ts';
import { userRow } from './rows.ts';

/** Number of microtasks. Other work of the same event loop task runs in between. */
const STEPS = 500;

describe('the write lock of SQLite', () => {
  let place: TestLocation;
  let log: RecordedLog;
  let database: Database;
  let foreign: DatabaseSync;

  beforeEach(async () => {
    place = await testLocation();
    log = recordLog();
    database = await openDatabase(place.location, { log });
    const folder = 'folder' in place.location ? place.location.folder : '';
    // Like that of another process; it does not wait for a lock.
    foreign = new DatabaseSync(join(folder, 'colophon.sqlite'), { timeout: 0 });
  });
  afterEach(async () => {
    foreign.close();
    await database.close();
    await place.remove();
  });

  const write = (id: string) =>
    database.transaction((trx) => trx.insertInto('users').values(userRow(id)).execute());
  /** Continues within this task of the event loop, and lets another process write at each step. */
  const computeBesideForeignWriter = async () => {
    for (let step = 0; step < STEPS; step++) {
      await Promise.resolve();
      foreign.exec("insert into settings (key, value) values ('foreign', '') on conflict do nothing");
    }
  };
  const waits = () => log.lines.filter(({ message }) => message === WAITING_TRANSACTION);

  test('is not held for the next transaction while the process computes after the previous one', async () => {
    const first = write('usr_1').then(computeBesideForeignWriter);
    await Promise.all([first, write('usr_2'), write('usr_3')]);
    expect(waits()).toEqual([]);
  });

  test('is not held for a claim while a job computes after its transaction', async () => {
    const note = jobKind<{ name: string }>('note');
    const queue = createQueue({ database, clock: () => new Date(), createId, log, poll: 60_000 });
    queue.register(note, async ({ payload }) => {
      await database.query.selectFrom('users').select('id').execute();
      await computeBesideForeignWriter();
      await write(payload.name);
      await computeBesideForeignWriter();
    });
    const names = Array.from({ length: 6 }, (_, number) => `usr_${number}`);
    await database.transaction(async (trx) => {
      for (const name of names) {
        await queue.enqueue(trx, { kind: note, organization: 'org_1', payload: { name } });
      }
    });
    queue.start({ concurrency: 3 });
    await queue.idle();
    await queue.stop();
    const rows = await database.query.selectFrom('users').select('id').orderBy('id').execute();
    expect(rows.map(({ id }) => id)).toEqual(names);
    const attempts = await database.query.selectFrom('jobs').select(['state', 'attempts']).execute();
    expect(attempts).toEqual(names.map(() => ({ state: 'done', attempts: 1 })));
    expect(waits()).toEqual([]);
  });

  test('lets other work of the process proceed before a large commit, and only before that', async () => {
    const order: string[] = [];
    const writeText = async (key: string, length: number) => {
      await database.transaction(async (trx) => {
        await trx
          .insertInto('settings')
          .values({ key, value: 'x'.repeat(length) })
          .execute();
        setImmediate(() => order.push(`other work during ${key}`));
      });
      order.push(key);
    };
    await writeText('large', 8_000_000);
    await writeText('small', 1000);
    await new Promise(setImmediate);
    expect(order).toEqual(['other work during large', 'large', 'small', 'other work during small']);
    expect(waits()).toEqual([]);
  });

  test('is reported if a transaction awaits something other than the database', async () => {
    await database.transaction(async (trx) => {
      await trx.insertInto('users').values(userRow('usr_slow')).execute();
      await delay(1);
    });
    expect(waits()).toMatchObject([{ level: 'error' }]);
  });
});
