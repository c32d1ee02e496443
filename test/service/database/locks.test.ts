import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { LockError } from '../../../server/database/errors.ts';
import { COLLIDED, MAX_LOCK_WAITERS } from '../../../server/database/locks.ts';
import { LOCK_LEASE_MS } from '../../../server/database/tickets.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';

let opened: TestDatabase;
let db: Database;
let other: Database;

beforeAll(async () => {
  opened = await openTestDatabase();
  db = opened.db;
  // A second handle, like that of another process.
  other = await openDatabase(opened.location);
});
afterAll(async () => {
  await other.close();
  await opened.close();
});

const tickets = () => db.query.selectFrom('lockTickets').selectAll().execute();

test('lets writers of one process take turns in order, without a ticket', async () => {
  const order: string[] = [];
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const turns = [0, 1, 2].map((number) =>
    db.inTurn('order', async () => {
      order.push(`begin ${number}`);
      await written;
      expect(await tickets()).toEqual([]);
      order.push(`end ${number}`);
    }),
  );
  write();
  await Promise.all(turns);
  expect(order).toEqual([0, 1, 2].flatMap((number) => [`begin ${number}`, `end ${number}`]));
});

test('lets all writers of several processes succeed that compare what they read', async () => {
  let value = 0;
  let attempts = 0;
  const increment = (handle: Database) =>
    handle.inTurn('compared', async () => {
      attempts += 1;
      const read = value;
      await handle.query.selectFrom('settings').selectAll().execute();
      if (value !== read) {
        return COLLIDED;
      }
      value += 1;
      return value;
    });
  const writers = Array.from({ length: 40 }, (_, number) => increment(number % 2 ? db : other));
  expect((await Promise.all(writers)).sort((a, b) => a - b)).toEqual(writers.map((_, index) => index + 1));
  // Once one of them has a ticket they queue, so that hardly any work is repeated.
  expect(attempts).toBeLessThan(50);
  expect(await tickets()).toEqual([]);
});

test('lets the next writer proceed after a failing one', async () => {
  const failure = new Error('stop');
  const failing = db.inTurn('failing', async () => {
    throw failure;
  });
  const next = db.inTurn('failing', async () => 'done');
  await expect(failing).rejects.toBe(failure);
  expect(await next).toBe('done');
});

test('frees the lock of a killed process after its lease', async () => {
  const leaseUntil = new Date(Date.now() + LOCK_LEASE_MS / 10).toISOString();
  await db.query.insertInto('lockTickets').values({ key: 'killed', leaseUntil }).execute();
  const entered = await db.inTurn('killed', async () => new Date().toISOString());
  expect(entered >= leaseUntil).toBe(true);
});

test('limits the queue of a lock', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const holder = db.inTurn('full', () => end);
  const waiters = Array.from({ length: MAX_LOCK_WAITERS }, () => db.inTurn('full', async () => 'done'));
  await expect(db.inTurn('full', async () => 'done')).rejects.toBeInstanceOf(LockError);
  resolve();
  await holder;
  expect(await Promise.all(waiters)).toEqual(waiters.map(() => 'done'));
});

test('rejects a lock inside a transaction, which would hold a connection', async () => {
  const nested = db.transaction(() => db.inTurn('nested', async () => undefined));
  await expect(nested).rejects.toThrow('Acquire the lock before it');
});
