import type { RawBuilder, SelectQueryBuilder } from 'kysely';
import { listScope } from '../../database/cursors.ts';
import { keysetPage, type OrderColumn, type Page } from '../../database/keyset.ts';
import { type CountedRows, readRowCount } from '../../database/row-counts.ts';
import type { Services } from './slice.ts';

/** What every list's query holds, its defaults filled in. */
export interface ListQuery {
  limit: number;
  page?: string;
}

/**
 * One page of a list in the contract's envelope.
 *
 * @param list the operation's id; with `filters` it binds cursors to this list
 * @param count the rows of the whole list, where the database keeps the number of them, or a function that counts
 * them at less cost; left out, the rows of the query are counted
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
    count?: CountedRows | (() => Promise<number>) | undefined;
    present: (row: Row) => Item | undefined | Promise<Item | undefined>;
  },
): Promise<Page<Item>> {
  const { count } = options;
  const page = await keysetPage(rows, {
    limit: query.limit,
    page: query.page,
    order: options.order,
    bytes: options.bytes,
    scope: listScope(options.list, options.filters),
    key: services.secretKey,
    ...(count && {
      count: typeof count === 'function' ? count : () => readRowCount(services.database.query, count),
    }),
  });
  const items = await Promise.all(page.items.map(options.present));
  return { ...page, items: items.filter((item) => item !== undefined) };
}
