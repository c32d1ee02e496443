import { listScope, openCursor, sealCursor } from '../../../database/cursors.ts';
import type { Page } from '../../../database/keyset.ts';
import type { ListQuery } from '../../kit/list.ts';
import type { OperationId, Services } from '../../kit/slice.ts';

/**
 * Returns one page of a list of items that is sorted by key. The cursor names the last key instead of an offset, so
 * that items that are added or removed between two requests do not shift the pages.
 *
 * @throws InvalidCursorError if the cursor belongs to another list
 */
export function answerKeyed<Item>(
  { secretKey }: Services,
  items: readonly Item[],
  query: ListQuery,
  options: { list: OperationId; filters: Record<string, unknown>; keyOf: (item: Item) => string },
): Page<Item> {
  const scope = { key: secretKey, scope: listScope(options.list, options.filters) };
  const after = query.page === undefined ? '' : String(openCursor(query.page, scope));
  const rest = items.filter((item) => options.keyOf(item) > after);
  const shown = rest.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    items: shown,
    ...(last && shown.length < rest.length && { next: { page: sealCursor(options.keyOf(last), scope) } }),
    count: items.length,
  };
}
