import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addToCounter, readCounter } from '../../../server/database/counters.ts';
import type { Database } from '../../../server/database/database.ts';
import { readJson, writeJson } from '../../../server/database/json.ts';
import { readLargeText } from '../../../server/database/large-text.ts';
import { between } from '../../../server/database/lists/positions.ts';
import { containsText } from '../../../server/database/text.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { organizationRow, userRow } from './rows.ts';

let opened: TestDatabase;
let db: Database;

beforeAll(async () => {
  opened = await openTestDatabase();
  db = opened.db;
});
afterAll(() => opened.close());

test('returns JSON unchanged, and keeps text that looks like JSON as text', async () => {
  const emailDomains = ['a.example', '"quoted"', '東京', 'nul\0'];
  const title = '[1, 2]';
  await db.query
    .insertInto('organizations')
    .values({ ...organizationRow('org_json'), title, emailDomains: writeJson(emailDomains) })
    .execute();
  const row = await db.query.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
  expect(readJson(row.emailDomains)).toEqual(emailDomains);
  expect(readJson(row.defaultContent)).toBeNull();
  expect(row.title).toBe(title);
  expect(row.inviteLinks).toBe(1);
});

test('finds no row in an empty list, and every row outside it', async () => {
  await db.query.insertInto('organizations').values(organizationRow('org_lists')).execute();
  const found = async (operator: 'in' | 'not in') =>
    await db.query
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', 'org_lists')
      .where((eb) => eb.or([eb('id', operator, []), eb('title', operator, [])]))
      .execute();
  expect(await found('in')).toEqual([]);
  expect(await found('not in')).toEqual([{ id: 'org_lists' }]);
});

test('returns bytes unchanged', async () => {
  const data = Uint8Array.from({ length: 256 }, (_, n) => n);
  await db.query
    .insertInto('blobChunks')
    .values({ organization: 'org_1', content: 'c', index: 2 ** 40, data })
    .execute();
  const row = await db.query.selectFrom('blobChunks').select(['data', 'index']).executeTakeFirstOrThrow();
  expect(Array.from(row.data)).toEqual(Array.from(data));
  expect(row.index).toBe(2 ** 40);
});

test('returns computed numbers as numbers', async () => {
  const row = await db.query
    .selectFrom('blobChunks')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number>('index').as('sum')])
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ count: 1, sum: 2 ** 40 });
});

test('stores a NUL character as the replacement character, and finds nothing by one', async () => {
  await db.query
    .insertInto('users')
    .values({ ...userRow('usr_nul'), displayName: 'a\0b' })
    .execute();
  const query = db.query.selectFrom('users').select('displayName');
  expect(await query.where('id', '=', 'usr_nul').execute()).toEqual([{ displayName: 'a\ufffdb' }]);
  expect(await query.where('id', '=', 'usr_nul\0').execute()).toEqual([]);
});

test('reads large texts, also in pieces that divide characters', async () => {
  const read = (id: string) =>
    readLargeText(db.query, db.query.selectFrom('users').select('displayName as value').where('id', '=', id));
  const texts = ['', 'short', 'a'.repeat(2 ** 18), `a${'東'.repeat(2 ** 18)}`];
  for (const [at, displayName] of texts.entries()) {
    const id = `usr_large_${at}`;
    await db.query
      .insertInto('users')
      .values({ ...userRow(id), displayName })
      .execute();
    expect((await read(id))?.toString() === displayName, `text ${at}`).toBe(true);
  }
  expect(await read('usr_absent')).toBeUndefined();
});

test('finds text within text in any case, without patterns', async () => {
  const names = ['Émile ÖZ', '50% off', 'a_b', 'back\\slash', 'axb'];
  await db.query
    .insertInto('users')
    .values(names.map((displayName) => ({ ...userRow(`usr_${displayName}`), displayName })))
    .execute();
  const search = async (needle: string) => {
    const rows = await db.query
      .selectFrom('users')
      .select('displayName')
      .where(containsText('users.displayName', needle))
      .where('displayName', 'in', names)
      .orderBy('displayName')
      .execute();
    return rows.map(({ displayName }) => displayName);
  };
  expect(await search('émile ö')).toEqual(['Émile ÖZ']);
  expect(await search('É')).toEqual(['Émile ÖZ']);
  expect(await search('%')).toEqual(['50% off']);
  expect(await search('A_B')).toEqual(['a_b']);
  expect(await search('\\')).toEqual(['back\\slash']);
  expect(await search("' or 1=1 --")).toEqual([]);
});

test('sorts text by code point, regardless of the collation of the server', async () => {
  const names = ['Zed', 'a', 'a b', 'aB', 'b', 'É'];
  await db.query
    .insertInto('users')
    .values(names.map((displayName) => ({ ...userRow(`sorted ${displayName}`), displayName })))
    .execute();
  const rows = await db.query
    .selectFrom('users')
    .select('displayName')
    .where('id', 'like', 'sorted %')
    .orderBy('displayName')
    .execute();
  expect(rows.map(({ displayName }) => displayName)).toEqual(names);
});

test('starts a counter at 0, and increments it in its transaction', async () => {
  expect(await readCounter(db.query, 'org_1', 'spaces')).toBe(0);
  await db.transaction((trx) => addToCounter(trx, 'org_1', 'spaces', 5));
  expect(await db.transaction((trx) => addToCounter(trx, 'org_1', 'spaces', -2))).toBe(3);
  expect(await readCounter(db.query, 'org_1', 'spaces')).toBe(3);
  expect(await readCounter(db.query, 'org_2', 'spaces')).toBe(0);
});

test('finds a position between any two others, in text order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 120 }), (insertions) => {
      const positions: string[] = [];
      for (const where of insertions) {
        const at = where % (positions.length + 1);
        positions.splice(at, 0, between(positions[at - 1] ?? null, positions[at] ?? null));
      }
      expect(positions).toEqual([...new Set(positions)].sort());
    }),
  );
});

test('keeps positions at the ends of a long list short', () => {
  let last: string | null = null;
  let first: string | null = null;
  for (let n = 0; n < 5000; n++) {
    last = between(last, null);
    first = between(null, first);
  }
  expect(last?.length).toBeLessThanOrEqual(6);
  expect(first?.length).toBeLessThanOrEqual(6);
});

test('rejects an invalid position, or two in the wrong order', () => {
  for (const [before, after] of [
    ['b', 'a'],
    ['a', 'a'],
    ['', null],
    ['a0', null],
    ['a-b', null],
  ] as const) {
    expect(() => between(before, after)).toThrow(RangeError);
  }
});
