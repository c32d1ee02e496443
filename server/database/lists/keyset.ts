import { type RawBuilder, type SelectQueryBuilder, type SqlBool, type StringReference, sql } from 'kysely';
import { InvalidCursorError, openCursor, sealCursor } from './cursors.ts';

/** A column of the order of a list. */
export interface OrderColumn<Schema, Selected extends keyof Schema> {
  column: StringReference<Schema, Selected>;
  direction: 'asc' | 'desc';
  /** Whether the column may be null. Nulls come last in either direction. */
  nullable?: boolean;
}

/**
 * Maximum size of a page for lists with large rows. A page ends before the row that would exceed it, but has at least
 * one row.
 */
export const MAX_LIST_PAGE_BYTES = 4 * 1024 * 1024;

/** A request for a page of a list. */
export interface PageRequest<Schema, Selected extends keyof Schema, Row> {
  /** Maximum number of items; 0 returns only the count. */
  limit: number;
  /** The cursor returned with the previous page. */
  page?: string | undefined;
  /** The order of the list. The last column must be unique in the list. */
  order: ReadonlyArray<OrderColumn<Schema, Selected>>;
  /** Identifies the list and its filters, see `listScope`. Cursors of another scope are rejected. */
  scope: string;
  /** Secret for signing cursors. */
  key: string | Uint8Array;
  /** Approximate size of a row, for lists with large rows: see {@link MAX_LIST_PAGE_BYTES}. */
  bytes?: RawBuilder<number> | undefined;
  /**
   * Selects rows by values of the last column of the order, for lists with `bytes` and expensive filters: the filters
   * are then evaluated once, when the sizes are read.
   */
  byKey?: ((keys: string[]) => SelectQueryBuilder<Schema, Selected, Row>) | undefined;
  /** Total number of items, if already known, or how to count them. By default the rows of the query are counted. */
  count?: number | (() => Promise<number>) | undefined;
  /** The column with the total number of items, if the query itself counts them. */
  countColumn?: string | undefined;
  /** Called with the total number of items after the rows were counted. */
  onCounted?: ((count: number) => void | Promise<void>) | undefined;
}

/** A page of a list, in the contract's envelope. */
export interface Page<Item> {
  items: Item[];
  /** Omitted on the last page. */
  next?: { page: string };
  /** Total number of items in the filtered list. */
  count: number;
}

type KeyValue = string | number | null;

/**
 * Reads a page of `query`, which has filters but no order. Pages continue after the key values of the last item, not
 * after an offset: iterating over all pages returns each existing item exactly once despite concurrent changes, and
 * every page costs the same. The query must not group rows, since it is also used for counting.
 *
 * @throws InvalidCursorError if `page` was not issued by this list with these filters and this order
 * @example
 * const page = await keysetPage(
 *   db.query.selectFrom('teams').selectAll().where('organization', '=', organization),
 *   {
 *     limit: 50, page: query.page, key, scope: listScope('teams', { organization }),
 *     order: [{ column: 'teams.createdAt', direction: 'asc' }, { column: 'teams.id', direction: 'asc' }],
 *   },
 * )
 */
export async function keysetPage<Schema, Selected extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Selected, Row>,
  request: PageRequest<Schema, Selected, Row>,
): Promise<Page<Row>> {
  const { order, bytes, byKey } = request;
  const cursor = {
    key: request.key,
    scope: JSON.stringify([request.scope, order.map(({ column, direction }) => [column, direction])]),
  };
  const after = request.page === undefined ? undefined : keyValues(openCursor(request.page, cursor), order);
  const countAll = async () => {
    if (request.count !== undefined) {
      return typeof request.count === 'number' ? request.count : await request.count();
    }
    const count = await countRows(query);
    await request.onCounted?.(count);
    return count;
  };
  if (request.limit === 0) {
    return { items: [], count: await countAll() };
  }
  if (request.count === 0) {
    return { items: [], count: 0 };
  }

  let page = query;
  if (after) {
    page = page.where(isAfter(order, after));
  }
  for (const { column, direction, nullable } of order) {
    page = page.orderBy(sql.ref(column), (by) => {
      const directed = direction === 'asc' ? by.asc() : by.desc();
      return nullable ? directed.nullsLast() : directed;
    });
  }
  const sizes =
    bytes &&
    (await readKeyed(
      page
        .clearSelect()
        .select(bytes.as('bytes'))
        .limit(request.limit + 1),
      order,
    ));
  const limit = sizes ? Math.min(request.limit, countWithinBytes(sizes)) : request.limit;
  const readRows = async (): Promise<KeyedRow<Row | undefined>[]> =>
    sizes && byKey
      ? await replaceRows(sizes, limit, (keys) => readKeyed(byKey(keys), order))
      : await readKeyed(page.limit(limit + 1), order);
  // That no row matches may take long to find.
  const rows = sizes?.length === 0 ? [] : await readRows();
  const shown = rows.slice(0, limit);
  const items = shown.flatMap(({ row }) => row ?? []);
  const last = shown.at(-1)?.keys ?? [];
  const more = rows.length > limit;
  const countAround = async () => {
    // The caller guarantees that the column is a number.
    const total =
      request.countColumn && (items[0] as Record<string, number> | undefined)?.[request.countColumn];
    if (typeof total === 'number') {
      return total;
    }
    if (after || request.count !== undefined) {
      return await countAll();
    }
    // The rows of the first page are already counted.
    const counted = items.length + (more ? await countRows(query.where(isAfter(order, last))) : 0);
    await request.onCounted?.(counted);
    return counted;
  };
  const count = await countAround();
  return more ? { items, next: { page: sealCursor(last, cursor) }, count } : { items, count };
}

/** A row of a list with the values of the columns of its order. */
interface KeyedRow<Row> {
  row: Row;
  keys: KeyValue[];
}

async function readKeyed<Schema, Selected extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Selected, Row>,
  order: ReadonlyArray<OrderColumn<Schema, Selected>>,
): Promise<KeyedRow<Row>[]> {
  // The key columns are selected under separate names, independent of the columns of the query.
  const rows = await query
    .select(order.map(({ column }, index) => sql<KeyValue>`${sql.ref(column)}`.as(keyName(index))))
    .execute();
  return rows.map((row) => {
    // The key columns are not part of the row's type.
    const record = row as Record<string, KeyValue>;
    const keys = order.map((column, index) => extractKey(record, column, index));
    // Without its keys the row has the type of the caller's query.
    return { row: row as Row, keys };
  });
}

/** Replaces the first rows by those that `read` finds by their last keys; undefined if a row was deleted meanwhile. */
async function replaceRows<Row>(
  rows: readonly KeyedRow<unknown>[],
  limit: number,
  read: (keys: string[]) => Promise<KeyedRow<Row>[]>,
): Promise<KeyedRow<Row | undefined>[]> {
  const lastKey = ({ keys }: KeyedRow<unknown>) => String(keys.at(-1));
  const replacements = await read(rows.slice(0, limit).map(lastKey));
  const byLastKey = new Map(replacements.map((keyed) => [lastKey(keyed), keyed.row]));
  return rows.map((keyed) => ({ row: byLastKey.get(lastKey(keyed)), keys: keyed.keys }));
}

/** Returns the number of first rows with a total size of at most {@link MAX_LIST_PAGE_BYTES}; at least 1. */
function countWithinBytes(sizes: readonly KeyedRow<unknown>[]): number {
  let remainingBytes = MAX_LIST_PAGE_BYTES;
  const exceeding = sizes.findIndex(({ row }) => {
    // The only selected column, as in `countRows`.
    remainingBytes -= (row as { bytes: number }).bytes;
    return remainingBytes < 0;
  });
  return Math.max(1, exceeding === -1 ? sizes.length : exceeding);
}

function keyName(index: number): string {
  return `key ${index}`;
}

function extractKey<Schema, Selected extends keyof Schema>(
  row: Record<string, KeyValue>,
  { column, nullable }: OrderColumn<Schema, Selected>,
  index: number,
): KeyValue {
  const value = row[keyName(index)] ?? null;
  delete row[keyName(index)];
  if (value === null && !nullable) {
    throw new Error(`The order column ${column} is null in a row. Mark the column as nullable.`);
  }
  return value;
}

async function countRows<Schema, Selected extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Selected, Row>,
): Promise<number> {
  const counted = await query
    .clearSelect()
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  // The only selected column. Kysely cannot infer it for generic tables.
  return (counted as { count: number }).count;
}

/** Returns the values of a cursor. Its signature is verified; the check is for cursors of another release. */
function keyValues(position: unknown, order: readonly unknown[]): KeyValue[] {
  if (!Array.isArray(position) || position.length !== order.length) {
    throw new InvalidCursorError();
  }
  return position;
}

/** Creates the condition that a row comes after the row with these key values. */
function isAfter<Schema, Selected extends keyof Schema>(
  order: ReadonlyArray<OrderColumn<Schema, Selected>>,
  values: KeyValue[],
): RawBuilder<SqlBool> {
  const columns = order.map(({ column }) => sql.ref(column));
  const first = order[0];
  const isUniform = order.every(({ direction, nullable }) => !nullable && direction === first?.direction);
  if (isUniform) {
    // Both engines use an index range for row comparisons.
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
  if (!first || first.nullable) {
    return any;
  }
  // Redundant, but lets the engine start at the right entry of an index.
  const from = first.direction === 'asc' ? sql`>=` : sql`<=`;
  return sql<SqlBool>`${columns[0]} ${from} ${values[0]} and ${any}`;
}

function isSame(column: RawBuilder<unknown>, value: KeyValue): RawBuilder<SqlBool> {
  return value === null ? sql`${column} is null` : sql`${column} = ${value}`;
}

/** Creates the condition that a column is beyond `value` in its direction. Null is beyond every value. */
function isBeyond<Schema, Selected extends keyof Schema>(
  order: OrderColumn<Schema, Selected> | undefined,
  value: KeyValue,
): RawBuilder<SqlBool> {
  if (!order || value === null) {
    return sql`1 = 0`;
  }
  const column = sql.ref(order.column);
  const beyond = sql<SqlBool>`${column} ${order.direction === 'asc' ? sql`>` : sql`<`} ${value}`;
  return order.nullable ? sql`(${beyond} or ${column} is null)` : beyond;
}
