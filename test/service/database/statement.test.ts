import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { isOneOf } from '../../../server/database/lookups.ts';
import { type ParametersOf, statement } from '../../../server/database/statement.ts';
import { isFirstEngine, openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { userRow } from './rows.ts';

let opened: TestDatabase;
let db: Database;

beforeAll(async () => {
  opened = await openTestDatabase();
  db = opened.db;
  await db.query
    .insertInto('users')
    .values([userRow('usr_1'), userRow('usr_2'), userRow('usr_3')])
    .execute();
});
afterAll(() => opened.close());

test('is built once, and executed with the values of each call', async () => {
  let builds = 0;
  const findUser = statement((queries, { id }: ParametersOf<{ id: string }>) => {
    builds += 1;
    return queries.selectFrom('users').select('id').where('id', '=', id).compile();
  });
  const { sql: texts, parameters } = await statementsOf(async () => {
    expect(await findUser.first(db.query, { id: 'usr_1' })).toEqual({ id: 'usr_1' });
    expect(await findUser.rows(db.query, { id: 'usr_2' })).toEqual([{ id: 'usr_2' }]);
    expect(await findUser.first(db.query, { id: 'usr_none' })).toBeUndefined();
    expect(await db.transaction((trx) => findUser.first(trx, { id: 'usr_3' }))).toEqual({ id: 'usr_3' });
  });
  expect(builds).toBe(1);
  expect(new Set(texts.filter((text) => text.startsWith('select'))).size).toBe(1);
  expect(parameters.filter(({ length }) => length > 0)).toEqual([
    ['usr_1'],
    ['usr_2'],
    ['usr_none'],
    ['usr_3'],
  ]);
});

test('binds constants, a parameter several times, and a list of any length as one parameter', async () => {
  const find = statement((queries, { ids, floor }: ParametersOf<{ ids: readonly string[]; floor: string }>) =>
    queries
      .selectFrom('users')
      .select(['id', sql<string>`${floor} || ${'!'}`.as('marked')])
      .where(isOneOf(queries, 'id', ids))
      .where('id', '>', floor)
      .where('id', '!=', 'usr_2')
      .orderBy('id')
      .compile(),
  );
  const ids = ['usr_1', 'usr_2', 'usr_3'];
  expect(await find.rows(db.query, { ids, floor: 'usr_0' })).toEqual([
    { id: 'usr_1', marked: 'usr_0!' },
    { id: 'usr_3', marked: 'usr_0!' },
  ]);
  expect(await find.rows(db.query, { ids: ['usr_1'], floor: 'usr_1' })).toEqual([]);
  expect(await find.rows(db.query, { ids: [], floor: '' })).toEqual([]);
});

test('stores no NUL characters, as other queries', async () => {
  const echo = statement((queries, { text }: ParametersOf<{ text: string }>) =>
    queries.selectNoFrom(sql<string>`cast(${text} as text)`.as('text')).compile(),
  );
  expect(await echo.first(db.query, { text: 'a\0b' })).toEqual({ text: 'a\ufffdb' });
});

test('is rejected outside of a transaction from within it, as other queries', async () => {
  const findUser = statement((queries, { id }: ParametersOf<{ id: string }>) =>
    queries.selectFrom('users').select('id').where('id', '=', id).compile(),
  );
  // Compiled before.
  await findUser.first(db.query, { id: 'usr_1' });
  await expect(db.transaction(() => findUser.first(db.query, { id: 'usr_1' }))).rejects.toThrow(
    'Database.query was used inside a transaction',
  );
});

// SQLite allocates a large buffer for a sort with a limit that it does not know when it compiles the statement.
test('has its limit in the text on SQLite', async () => {
  const { sql: texts } = await statementsOf(() =>
    db.query.selectFrom('users').select('id').limit(2).execute(),
  );
  expect(texts).toEqual([expect.stringMatching(isFirstEngine ? /limit 2$/ : /limit \$1$/)]);
});
