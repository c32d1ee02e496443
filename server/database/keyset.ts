import { type RawBuilder, type SelectQueryBuilder, type SqlBool, type StringReference, sql } from 'kysely';
import { InvalidCursorError, openCursor, sealCursor } from './cursors.ts';

/** One column that a list is ordered by. */
export interface OrderColumn<DB, TB extends keyof DB> {
  column: StringReference<DB, TB>;
  direction: 'asc' | 'desc';
  /** Set when the column may be null. Null then comes last, in either direction. */
  nullable?: boolean;
}

/**
 * Bytes of the rows of one page, for lists whose rows are large. A page ends before it has more, unless its first
 * row has.
 */
export const MAX_LIST_PAGE_BYTES = 4 * 1024 * 1024;

/** How to read one page of a list. */
export interface PageRequest<DB, TB extends keyof DB> {
  /** Most items to answer; 0 answers the count alone. */
  limit: number;
  /** The cursor of the page before, as the caller sent it. */
  page?: string | undefined;
  /** What the list is ordered by. The last column must be unique in the list. */
  order: ReadonlyArray<OrderColumn<DB, TB>>;
  /** Names the list and its filters, see `listScope`; a cursor of another scope is refused. */
  scope: string;
  /** The secret that cursors are signed with. */
  key: string | Uint8Array;
  /** About how many bytes a row takes, for lists whose rows are large: see {@link MAX_LIST_PAGE_BYTES}. */
  bytes?: RawBuilder<number> | undefined;
  /** The number of items in the whole list, where it is known: then no row is counted. */
  count?: number | undefined;
  /** The column of each row with the number of items in the whole list, where the query itself counts them. */
  countColumn?: string | undefined;
  /** Receives the number of items in the whole list once rows were counted for it. */
  onCounted?: ((count: number) => void) | undefined;
}

/** A page of a list: the envelope of every list of the contract. */
export interface Page<Item> {
  items: Item[];
  /** Left out on the last page. */
  next?: { page: string };
  /** Items in the whole filtered list. */
  count: number;
}

type KeyValue = string | number | null;

/**
 * Reads one page of `query`, which says what to select, from where and with which filters, but not the order.
 * A page starts behind the last item of the one before, by value and not by number, so that walking all pages
 * meets each item that stays exactly once whatever is written meanwhile, and the last page costs what the first
 * does. The query must not group: it is also the query that is counted.
 *
 * @throws InvalidCursorError when `page` was not made by this list with these filters and this order.
 * @example
 * const page = await keysetPage(
 *   db.query.selectFrom('teams').selectAll().where('organization', '=', organization),
 *   {
 *     limit: 50, page: query.page, key, scope: listScope('teams', { organization }),
 *     order: [{ column: 'teams.createdAt', direction: 'asc' }, { column: 'teams.id', direction: 'asc' }],
 *   },
 * )
 */
export async function keysetPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  request: PageRequest<DB, TB>,
): Promise<Page<Row>> {
  const { order } = request;
  const cursor = {
    key: request.key,
    scope: JSON.stringify([request.scope, order.map(({ column, direction }) => [column, direction])]),
  };
  const after = request.page === undefined ? undefined : keyValues(openCursor(request.page, cursor), order);
  const counted = (count: number) => {
    request.onCounted?.(count);
    return count;
  };
  if (request.limit === 0) return { items: [], count: request.count ?? counted(await countRows(query)) };
  if (request.count === 0) return { items: [], count: 0 };

  let page = query;
  if (after) page = page.where(isAfter(order, after));
  for (const { column, direction, nullable } of order) {
    page = page.orderBy(sql.ref(column), (by) => {
      const directed = direction === 'asc' ? by.asc() : by.desc();
      return nullable ? directed.nullsLast() : directed;
    });
  }
  const limit = request.bytes ? await countWithinBytes(page, request.bytes, request.limit) : request.limit;
  // The keys travel with each row under names of their own, whatever the query selects.
  const rows = await page
    .select(order.map(({ column }, index) => sql<KeyValue>`${sql.ref(column)}`.as(keyName(index))))
    .limit(limit + 1)
    .execute();

  let last: KeyValue[] = [];
  const items = rows.slice(0, limit).map((row) => {
    // Kysely cannot name the key columns just added in the row's type; they are there.
    const record = row as Record<string, KeyValue>;
    last = order.map((column, index) => takeKey(record, column, index));
    // With its keys taken out the row is what the caller's query selects.
    return row as Row;
  });
  const more = rows.length > limit;
  const countAll = async () => {
    // The query selects the column as a number: that is what the name in the request says.
    const total =
      request.countColumn && (rows[0] as Record<string, number> | undefined)?.[request.countColumn];
    if (typeof total === 'number') return total;
    if (after) return await countRows(query);
    // The first page has looked at the rows up to its last one: only those behind it are left to count.
    return items.length + (more ? await countRows(query.where(isAfter(order, last))) : 0);
  };
  const count = request.count ?? counted(await countAll());
  return more ? { items, next: { page: sealCursor(last, cursor) }, count } : { items, count };
}

/** How many of the first rows have at most {@link MAX_LIST_PAGE_BYTES} together; at least one. */
async function countWithinBytes<DB, TB extends keyof DB, Row>(
  page: SelectQueryBuilder<DB, TB, Row>,
  bytes: RawBuilder<number>,
  limit: number,
): Promise<number> {
  const rows = await page.clearSelect().select(bytes.as('bytes')).limit(limit).execute();
  let left = MAX_LIST_PAGE_BYTES;
  const exceeding = rows.findIndex((row) => {
    // The one column selected, as in `countRows`.
    left -= (row as { bytes: number }).bytes;
    return left < 0;
  });
  return exceeding === -1 ? limit : Math.max(1, exceeding);
}

function keyName(index: number): string {
  return `key ${index}`;
}

function takeKey<DB, TB extends keyof DB>(
  row: Record<string, KeyValue>,
  { column, nullable }: OrderColumn<DB, TB>,
  index: number,
): KeyValue {
  const value = row[keyName(index)] ?? null;
  delete row[keyName(index)];
  if (value === null && !nullable) {
    throw new Error(`A list is ordered by ${column}, which is null in a row. Mark the column as nullable.`);
  }
  return value;
}

async function countRows<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
): Promise<number> {
  const counted = await query
    .clearSelect()
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  // The one column selected; a type parameter for the tables keeps Kysely from saying so.
  return (counted as { count: number }).count;
}

/** The values in a cursor. Its signature says that we made it; the check is for a cursor of another release. */
function keyValues(position: unknown, order: readonly unknown[]): KeyValue[] {
  if (!Array.isArray(position) || position.length !== order.length) throw new InvalidCursorError();
  return position;
}

/** The condition that a row comes behind the one with these key values. */
function isAfter<DB, TB extends keyof DB>(
  order: ReadonlyArray<OrderColumn<DB, TB>>,
  values: KeyValue[],
): RawBuilder<SqlBool> {
  const columns = order.map(({ column }) => sql.ref(column));
  const first = order[0];
  const uniform = order.every(({ direction, nullable }) => !nullable && direction === first?.direction);
  if (uniform) {
    // Both engines read a comparison of whole rows as one range of an index.
    const beyond = first?.direction === 'asc' ? sql`>` : sql`<`;
    return sql<SqlBool>`(${sql.join(columns)}) ${beyond} (${sql.join(values)})`;
  }
  const alternatives = order.map((_, index) =>
    sql.join(
      [
        ...columns.slice(0, index).map((column, before) => isSame(column, values[before] ?? null)),
        isBeyond(order[index], values[index] ?? null),
      ],
      sql` and `,
    ),
  );
  const any = sql<SqlBool>`(${sql.join(
    alternatives.map((alternative) => sql`(${alternative})`),
    sql` or `,
  )})`;
  if (!first || first.nullable) return any;
  // Implied by the alternatives, but said alone it lets the engine start at the right place of an index.
  const from = first.direction === 'asc' ? sql`>=` : sql`<=`;
  return sql<SqlBool>`${columns[0]} ${from} ${values[0]} and ${any}`;
}

function isSame(column: RawBuilder<unknown>, value: KeyValue): RawBuilder<SqlBool> {
  return value === null ? sql`${column} is null` : sql`${column} = ${value}`;
}

/** In one column: beyond `value` in its direction, null being beyond everything. */
function isBeyond<DB, TB extends keyof DB>(
  order: OrderColumn<DB, TB> | undefined,
  value: KeyValue,
): RawBuilder<SqlBool> {
  if (!order || value === null) return sql`1 = 0`;
  const column = sql.ref(order.column);
  const beyond = sql<SqlBool>`${column} ${order.direction === 'asc' ? sql`>` : sql`<`} ${value}`;
  return order.nullable ? sql`(${beyond} or ${column} is null)` : beyond;
}
