import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { type CountLookup, lookUpCount, type VersionedCount } from '../../database/lists/cached-counts.ts';
import { cachedPage } from '../../database/lists/cached-pages.ts';
import { listScope, openCursor, sealCursor } from '../../database/lists/cursors.ts';
import { keysetPage, type OrderColumn, type Page } from '../../database/lists/keyset.ts';
import { lookUpNames, type NameSearch } from '../../database/lists/name-searches.ts';
import { type CountedRows, maintainedCountOf, readRowCount } from '../../database/row-counts.ts';
import type { OperationId, Services } from './slice.ts';

/** Query parameters of every list, with defaults applied. */
export interface ListQuery {
  limit: number;
  page?: string;
}

/** Source of the number of rows of a list, see {@link answerList}. */
export type ListCount = number | CountedRows | NameSearch | VersionedCount;

/**
 * Returns one page of a list in the contract's envelope.
 *
 * @param list the operation ID, which together with `filters` binds cursors to this list
 * @param count the number of rows of the whole list, a counter of the database, a search in names with a cached count,
 *   or the dependencies of a cached count; by default, the rows of the query are counted
 * @param present converts a row to an item; returns undefined to omit a row if its resource was deleted meanwhile
 */
export async function answerList<Schema, Selected extends keyof Schema, Row, Item>(
  services: Services,
  rows: SelectQueryBuilder<Schema, Selected, Row>,
  query: ListQuery,
  options: {
    list: string;
    filters?: object;
    order: ReadonlyArray<OrderColumn<Schema, Selected>>;
    /** Approximate size of a row in bytes, for rows that may be large. */
    bytes?: RawBuilder<number>;
    /** Selects rows by values of the last column of the order, for large rows with expensive filters. */
    byKey?: (keys: string[]) => SelectQueryBuilder<Schema, Selected, Row>;
    count?: ListCount | undefined;
    /** The column that contains the total number of rows, if the query itself counts them. */
    countColumn?: (keyof Row & string) | undefined;
    /**
     * Whether the rows and their order change only with the names that `count` depends on. The rows of pages, which
     * must be small, are then cached, too.
     */
    areRowsCached?: boolean;
    present: (row: Row) => Item | undefined | Promise<Item | undefined>;
  },
): Promise<Page<Item>> {
  const scope = listScope(options.list, options.filters);
  const counter = maintainedCount(services, options);
  const count = counter ? { count: counter.read } : await lookUpListCount(services, options.count, scope);
  const read = () =>
    keysetPage(counter ? rows.select(counter.column) : rows, {
      limit: query.limit,
      page: query.page,
      order: options.order,
      bytes: options.bytes,
      byKey: options.byKey,
      scope,
      key: services.secretKey,
      count: count.count,
      countColumn: counter ? COUNT_COLUMN : options.countColumn,
      onCounted: 'store' in count ? count.store : undefined,
    });
  const version = 'version' in count ? count.version : undefined;
  const key = JSON.stringify([scope, options.order, query.limit, query.page]);
  const page =
    options.areRowsCached && version !== undefined
      ? await cachedPage(services.database.query, { key, version }, read)
      : await read();
  const items = await Promise.all(page.items.map(options.present));
  return { ...page, items: items.filter((item) => item !== undefined) };
}

const COUNT_COLUMN = 'count of the list';

/**
 * Returns the counter of a list, as a column of its rows: a page then takes one statement. Undefined for other counts, and
 * for lists that read the sizes of rows first.
 */
function maintainedCount(
  { database: { query } }: Services,
  { count, bytes }: { count?: ListCount | undefined; bytes?: RawBuilder<number> | undefined },
) {
  if (typeof count !== 'object' || !('kind' in count) || bytes) {
    return undefined;
  }
  const { organization, kind, owner = '' } = count;
  return {
    column: maintainedCountOf(kind, sql`${organization}`, sql`${owner}`).as(COUNT_COLUMN),
    read: () => readRowCount(query, count),
  };
}

async function lookUpListCount(
  { database: { query } }: Services,
  count: ListCount | undefined,
  scope: string,
): Promise<Partial<CountLookup>> {
  if (count === undefined) {
    return {};
  }
  if (typeof count === 'number') {
    return { count };
  }
  if ('kind' in count) {
    return { count: await readRowCount(query, count) };
  }
  const lookup = 'owners' in count ? await lookUpCount(query, scope, count) : await lookUpNames(query, count);
  const computed = lookup.count === undefined ? await count.compute?.() : undefined;
  if (computed === undefined) {
    return lookup;
  }
  await lookup.store(computed);
  return { ...lookup, count: computed };
}

/**
 * Returns one page of a list in memory, which is sorted by key. The cursor contains the last key instead of an offset,
 * so that items that are added or removed between two requests do not shift the pages.
 *
 * @param list the operation ID, which together with `filters` binds cursors to this list
 * @throws InvalidCursorError if the cursor belongs to another list
 */
export function answerSortedList<Item>(
  { secretKey }: Pick<Services, 'secretKey'>,
  items: readonly Item[],
  query: ListQuery,
  { list, filters, keyOf }: { list: OperationId; filters: object; keyOf: (item: Item) => string },
): Page<Item> {
  const scope = { key: secretKey, scope: listScope(list, filters) };
  const after = query.page === undefined ? '' : String(openCursor(query.page, scope));
  const rest = items.filter((item) => keyOf(item) > after);
  const shown = rest.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    items: shown,
    ...(last && shown.length < rest.length && { next: { page: sealCursor(keyOf(last), scope) } }),
    count: items.length,
  };
}
