import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { afterCommit } from '../../../server/database/transactions.ts';
import {
  openTestDatabase,
  type TestDatabase,
  testEngine,
  testLocation,
} from '../../support/database/engines.ts';
import { organizationRow, userRow } from './rows.ts';

let opened: TestDatabase;
let db: Database;
let other: Database;

beforeAll(async () => {
  opened = await openTestDatabase({ mayWait: true });
  db = opened.db;
  // A second handle, like that of another process.
  other = await openDatabase(opened.location);
});
afterAll(async () => {
  await other.close();
  await opened.close();
});

test('writes nothing if a transaction throws', async () => {
  const failure = new Error('stop');
  let isCalled = false;
  const attempt = db.transaction(async (trx) => {
    afterCommit(trx, () => {
      isCalled = true;
    });
    await trx.insertInto('users').values(userRow('usr_lost')).execute();
    throw failure;
  });
  await expect(attempt).rejects.toBe(failure);
  expect(await db.query.selectFrom('users').select('id').where('id', '=', 'usr_lost').execute()).toEqual([]);
  expect(isCalled).toBe(false);
});

test('runs callbacks after the commit, when others can read its writes', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await db.transaction(async (trx) => {
    afterCommit(trx, () => {
      resolve(other.query.selectFrom('users').select('id').where('id', '=', 'usr_kept').execute());
    });
    await trx.insertInto('users').values(userRow('usr_kept')).execute();
  });
  expect(await promise).toEqual([{ id: 'usr_kept' }]);
});

test('does not fail a transaction for a callback that fails after the commit', async () => {
  await db.transaction(async (trx) => {
    afterCommit(trx, () => {
      throw new Error('no one listens');
    });
    await trx.insertInto('users').values(userRow('usr_callback')).execute();
  });
  expect(await db.query.selectFrom('users').select('id').where('id', '=', 'usr_callback').execute()).toEqual([
    { id: 'usr_callback' },
  ]);
});

test('loses no update of transactions that read and then write, from several processes', async () => {
  const increment = (handle: Database) =>
    handle.transaction(async (trx) => {
      const row = await trx.selectFrom('counters').select('value').where('name', '=', 'n').executeTakeFirst();
      const value = (row?.value ?? 0) + 1;
      await trx
        .insertInto('counters')
        .values({ organization: 'org_1', name: 'n', value })
        .onConflict((conflict) => conflict.columns(['organization', 'name']).doUpdateSet({ value }))
        .execute();
    });
  await Promise.all(Array.from({ length: 12 }, (_, n) => increment(n % 2 ? db : other)));
  expect(await db.query.selectFrom('counters').select('value').where('name', '=', 'n').execute()).toEqual([
    { value: 12 },
  ]);
});

test('enforces a rule over several rows against concurrent transactions', async () => {
  const admins = ['usr_a', 'usr_b'];
  await db.transaction(async (trx) => {
    await trx.insertInto('organizations').values(organizationRow('org_admins')).execute();
    for (const user of admins) {
      await trx.insertInto('users').values(userRow(user)).execute();
      await trx.insertInto('members').values(memberRow(user)).execute();
    }
  });
  let reading = 0;
  const { promise: bothRead, resolve: readBoth } = Promise.withResolvers<void>();
  // SQLite runs them sequentially, so neither can wait for the other to have read.
  if (testEngine() === 'sqlite') {
    readBoth();
  }
  const leave = (handle: Database, user: string) =>
    handle.transaction(async (trx) => {
      const left = await trx
        .selectFrom('members')
        .select('user')
        .where('organization', '=', 'org_admins')
        .where('role', '=', 'admin')
        .execute();
      if (++reading === 2) {
        readBoth();
      }
      await bothRead;
      if (left.length === 1) {
        throw new Error('the last admin');
      }
      await trx
        .deleteFrom('members')
        .where('organization', '=', 'org_admins')
        .where('user', '=', user)
        .execute();
    });
  const outcomes = await Promise.allSettled([leave(db, 'usr_a'), leave(other, 'usr_b')]);
  expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('lets readers proceed during an open transaction', async () => {
  const { promise: written, resolve: wrote } = Promise.withResolvers<void>();
  const { promise: read, resolve: goOn } = Promise.withResolvers<void>();
  const writing = db.transaction(async (trx) => {
    await trx.insertInto('users').values(userRow('usr_slow')).execute();
    wrote();
    await read;
  });
  await written;
  expect(await db.query.selectFrom('users').select('id').where('id', '=', 'usr_slow').execute()).toEqual([]);
  const { rows } = await sql`
    with "slow" as (select "id" from "users" where "id" = 'usr_slow') select "id" from "slow"`.execute(
    db.query,
  );
  expect(rows).toEqual([]);
  goOn();
  await writing;
});

test('writes with common table expressions', async () => {
  await sql`
    with "ids" as (select 'usr_written' as "id")
    insert into "users" ("id", "email", "displayName", "createdAt")
    select "id", "id" || '@example.com', "id", ${userRow('').createdAt} from "ids"`.execute(db.query);
  const written = db.query.selectFrom('users').select('id').where('id', '=', 'usr_written');
  expect(await written.execute()).toEqual([{ id: 'usr_written' }]);
});

test('rejects queries of the handle inside a transaction', async () => {
  const attempt = db.transaction(() => db.query.selectFrom('users').select('id').execute());
  await expect(attempt).rejects.toThrow(/inside a transaction/);
  await expect(db.transaction(() => db.transaction(async () => 1))).rejects.toThrow(/must not be nested/);
});

test('rejects a row that violates a unique constraint, or belongs to a missing user', async () => {
  const rows = [userRow('usr_u1'), { ...userRow('usr_u2'), email: userRow('usr_u1').email }];
  const attempt = db.query.insertInto('users').values(rows).execute();
  await expect(attempt).rejects.toThrow(/unique/i);
  const orphan = db.query.insertInto('members').values(memberRow('usr_nobody')).execute();
  await expect(orphan).rejects.toThrow(/not.null/i);
});

test('lets several processes open a new database concurrently', async () => {
  const { location, remove } = await testLocation({ blank: true });
  const handles = await Promise.all([1, 2, 3, 4].map(() => openDatabase(location)));
  for (const handle of handles) {
    expect(await handle.query.selectFrom('jobs').select('id').execute()).toEqual([]);
    await handle.close();
  }
  await remove();
});

function memberRow(user: string) {
  return {
    organization: 'org_admins',
    user,
    role: 'admin' as const,
    disabled: 0 as const,
    sso: 0 as const,
    joinedAt: '2026-01-01T00:00:00.000Z',
    lastSeenAt: null,
  };
}
