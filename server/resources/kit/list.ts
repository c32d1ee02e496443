import type { RawBuilder, SelectQueryBuilder } from 'kysely';
import { listScope } from '../../database/cursors.ts';
import { keysetPage, type OrderColumn, type Page } from '../../database/keyset.ts';
import { type CountedIn, recallCount } from '../../database/remembered-counts.ts';
import { type CountedRows, readRowCount } from '../../database/row-counts.ts';
import type { Services } from './slice.ts';

/** What every list's query holds, its defaults filled in. */
export interface ListQuery {
  limit: number;
  page?: string;
}

/** What is known of how many rows a list has: see {@link answerList}. */
export type ListCount = number | CountedRows | CountedIn;

/**
 * One page of a list in the contract's envelope.
 *
 * @param list the operation's id; with `filters` it binds cursors to this list
 * @param count the number of rows of the whole list, or what the database counts of them, or what remembers how many
 * were counted; left out, the rows of the query are counted
 * @param present turns a row into an item; undefined leaves out a row whose resource is gone since it was found
 */
export async function answerList<DB, TB extends keyof DB, Row, Item>(
  services: Services,
  rows: SelectQueryBuilder<DB, TB, Row>,
  query: ListQuery,
  options: {
    list: string;
    filters?: Record<string, unknown>;
    order: ReadonlyArray<OrderColumn<DB, TB>>;
    /** About how many bytes a row takes, where that may be much. */
    bytes?: RawBuilder<number>;
    count?: ListCount | undefined;
    /** The column of the rows with the number of all, where the query itself counts them. */
    countColumn?: (keyof Row & string) | undefined;
    present: (row: Row) => Item | undefined | Promise<Item | undefined>;
  },
): Promise<Page<Item>> {
  const count = await recallListCount(services, options.count);
  const page = await keysetPage(rows, {
    limit: query.limit,
    page: query.page,
    order: options.order,
    bytes: options.bytes,
    scope: listScope(options.list, options.filters),
    key: services.secretKey,
    count: count.count,
    countColumn: options.countColumn,
    onCounted: count.remember,
  });
  const items = await Promise.all(page.items.map(options.present));
  return { ...page, items: items.filter((item) => item !== undefined) };
}

async function recallListCount(
  { database: { query } }: Services,
  count: ListCount | undefined,
): Promise<{ count?: number | undefined; remember?: (count: number) => void }> {
  if (count === undefined) return {};
  if (typeof count === 'number') return { count };
  if ('kind' in count) return { count: await readRowCount(query, count) };
  return await recallCount(query, count.organization, count);
}
