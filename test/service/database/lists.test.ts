import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { InvalidCursorError, listScope } from '../../../server/database/lists/cursors.ts';
import { keysetPage, type OrderColumn } from '../../../server/database/lists/keyset.ts';
import type { Schema } from '../../../server/database/schema.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { userRow } from './rows.ts';

let opened: TestDatabase;
let db: Database;

beforeAll(async () => {
  opened = await openTestDatabase();
  db = opened.db;
  await db.query.insertInto('users').values(userRow('usr_1')).execute();
});
afterAll(() => opened.close());
beforeEach(async () => {
  await db.query.deleteFrom('tokens').execute();
});

type Order = ReadonlyArray<OrderColumn<Schema, 'tokens'>>;

const byId: Order = [{ column: 'tokens.id', direction: 'asc' }];

/** Reads one page of the tokens that are not revoked. */
function page(limit: number, cursor?: string, order: Order = byId, scope = 'tokens') {
  const query = db.query.selectFrom('tokens').select(['id', 'label']).where('revokedAt', 'is', null);
  return keysetPage(query, { limit, page: cursor, order, scope, key: 'secret' });
}

interface Sorted {
  id: string;
  createdAt: string;
  lastUsedAt: string | null;
}

async function insert(...rows: Sorted[]): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const values = rows.map((row) => ({
    ...row,
    hash: row.id,
    user: 'usr_1',
    label: '',
    expiresAt: null,
    revokedAt: null,
  }));
  await db.query.insertInto('tokens').values(values).execute();
}

function token(id: string): Sorted {
  return { id, createdAt: 'a', lastUsedAt: null };
}

test('returns each remaining item exactly once while others are written and deleted', async () => {
  const sortable = fc.record({
    createdAt: fc.constantFrom('a', 'b', 'é', 'Z'),
    lastUsedAt: fc.constantFrom(null, 'a', 'b', '東'),
  });
  const column = <T extends 'tokens.createdAt' | 'tokens.lastUsedAt'>(name: T, nullable: boolean) =>
    fc
      .constantFrom('asc' as const, 'desc' as const)
      .map((direction) => ({ column: name, direction, nullable }));
  const orders = fc
    .tuple(
      fc.shuffledSubarray([0, 1]),
      column('tokens.createdAt', false),
      column('tokens.lastUsedAt', true),
      fc.constantFrom('asc' as const, 'desc' as const),
    )
    .map(
      ([which, created, used, direction]): Order => [
        ...which.map((index) => (index === 0 ? created : used)),
        { column: 'tokens.id', direction },
      ],
    );
  const steps = fc.array(
    fc.record({
      limit: fc.integer({ min: 1, max: 4 }),
      inserted: fc.array(sortable, { maxLength: 2 }),
      deleted: fc.array(fc.nat(), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(sortable, { maxLength: 14 }), orders, steps, async (initial, order, script) => {
      await db.query.deleteFrom('tokens').execute();
      let serial = 0;
      const alive = new Set<string>();
      const add = async (rows: Array<Omit<Sorted, 'id'>>) => {
        // Ids spread over the order, so that new items are on either side of the cursor.
        const named = rows.map((row) => ({ ...row, id: `tok_${(serial++ * 7) % 31}_${serial}` }));
        await insert(...named);
        for (const { id } of named) {
          alive.add(id);
        }
        return named.map(({ id }) => id);
      };
      const stayed = new Set(await add(initial));
      const seen: string[] = [];
      const deleted = new Set<string>();
      let cursor: string | undefined;
      for (let turn = 0; ; turn++) {
        const step = script[turn % script.length];
        const { items, next, count } = await page(step?.limit ?? 1, cursor, order);
        expect(count).toBe(alive.size);
        for (const { id } of items) {
          expect(deleted).not.toContain(id);
        }
        seen.push(...items.map(({ id }) => id));
        if (!next) {
          break;
        }
        cursor = next.page;
        if (turn > 8) {
          continue;
        }
        await add(step?.inserted ?? []);
        for (const which of step?.deleted ?? []) {
          const id = [...alive][which % Math.max(1, alive.size)];
          if (id === undefined) {
            continue;
          }
          await db.query.deleteFrom('tokens').where('id', '=', id).execute();
          alive.delete(id);
          stayed.delete(id);
          deleted.add(id);
        }
      }
      expect(seen.length).toBe(new Set(seen).size);
      for (const id of stayed) {
        expect(seen).toContain(id);
      }
    }),
    { numRuns: 60 },
  );
});

test('sorts as requested, with null last', async () => {
  await insert(
    { id: 't1', createdAt: 'b', lastUsedAt: null },
    { id: 't2', createdAt: 'a', lastUsedAt: 'x' },
    { id: 't3', createdAt: 'b', lastUsedAt: 'y' },
    { id: 't4', createdAt: 'a', lastUsedAt: null },
  );
  for (const [direction, expected] of [
    ['asc', ['t2', 't3', 't4', 't1']],
    ['desc', ['t3', 't2', 't4', 't1']],
  ] as const) {
    const order: Order = [
      { column: 'tokens.lastUsedAt', direction, nullable: true },
      { column: 'tokens.createdAt', direction: 'asc' },
      { column: 'tokens.id', direction: 'asc' },
    ];
    expect((await page(10, undefined, order)).items.map(({ id }) => id)).toEqual(expected);
  }
});

test('returns only the selected columns of an item', async () => {
  await insert(token('t1'), token('t2'));
  const { items } = await page(1);
  expect(items).toEqual([{ id: 't1', label: '' }]);
  const label: string | undefined = items[0]?.label;
  // @ts-expect-error hash was not selected
  const hash = items[0]?.hash;
  expect([label, hash]).toEqual(['', undefined]);
});

test('returns only the count with limit 0, and no cursor on the last page', async () => {
  await insert(token('t1'), token('t2'), token('t3'));
  expect(await page(0)).toEqual({ items: [], count: 3 });
  const first = await page(2);
  expect(first.count).toBe(3);
  const last = await page(2, first.next?.page);
  expect(last).toEqual({ items: [{ id: 't3', label: '' }], count: 3 });
  expect(await page(3)).not.toHaveProperty('next');
});

test('does not count a list that has its own count', async () => {
  await insert(token('t1'));
  const query = db.query.selectFrom('tokens').select('id');
  const counted = await keysetPage(query, {
    limit: 5,
    order: byId,
    scope: 's',
    key: 'k',
    count: 42,
  });
  expect(counted.count).toBe(42);
});

test('continues after rows that were deleted while a page of large rows was read', async () => {
  await insert(token('t1'), token('t2'), token('t3'), token('t4'), token('t5'));
  const selected: string[][] = [];
  const large = (cursor?: string) =>
    keysetPage(db.query.selectFrom('tokens').select('id'), {
      limit: 2,
      page: cursor,
      order: byId,
      scope: 's',
      key: 'k',
      bytes: sql<number>`length("label")`,
      byKey: (ids) => {
        selected.push(ids);
        return db.query.selectFrom('tokens').select('id').where('id', 'in', ids).where('id', '<>', 't2');
      },
    });
  const first = await large();
  expect(first.items).toEqual([{ id: 't1' }]);
  const second = await large(first.next?.page);
  expect(second.items).toEqual([{ id: 't3' }, { id: 't4' }]);
  const last = await large(second.next?.page);
  expect(last).toMatchObject({ items: [{ id: 't5' }] });
  expect(last).not.toHaveProperty('next');
  expect(selected).toEqual([['t1', 't2'], ['t3', 't4'], ['t5']]);
});

test('rejects a cursor of another list, with another order or key, changed or invented', async () => {
  await insert(token('t1'), token('t2'), token('t3'));
  const cursor = (await page(1)).next?.page ?? '';
  expect(cursor).toMatch(/^[\w-]+$/);
  expect((await page(1, cursor)).items.map(({ id }) => id)).toEqual(['t2']);
  const query = db.query.selectFrom('tokens').select('id');
  const otherKey = keysetPage(query, { limit: 1, page: cursor, order: byId, scope: 'tokens', key: 'other' });
  await expect(otherKey).rejects.toThrow(InvalidCursorError);
  await expect(page(1, cursor, byId, 'others')).rejects.toThrow(InvalidCursorError);
  const descending: Order = [{ column: 'tokens.id', direction: 'desc' }];
  await expect(page(1, cursor, descending)).rejects.toThrow(InvalidCursorError);
  for (const broken of ['', 'x', cursor.slice(1), `${cursor.slice(0, -3)}AAA`, '%00', 'é'.repeat(40)]) {
    await expect(page(1, broken)).rejects.toThrow(InvalidCursorError);
  }
  await expect(page(0, 'x')).rejects.toThrow(InvalidCursorError);
});

test('identifies a list by its filters in any order, without absent ones', () => {
  expect(listScope('l', { b: 1, a: undefined, c: null })).toBe(listScope('l', { c: null, b: 1 }));
  expect(listScope('l', { a: 1 })).not.toBe(listScope('l', { a: '1' }));
});

test('rejects an order by a nullable column, which would lose rows', async () => {
  const order: Order = [
    { column: 'tokens.lastUsedAt', direction: 'asc' },
    { column: 'tokens.id', direction: 'asc' },
  ];
  await insert(token('t1'), token('t2'));
  await expect(page(1, undefined, order)).rejects.toThrow(/nullable/);
});
