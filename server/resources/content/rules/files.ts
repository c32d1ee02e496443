import type { FileRecord } from '../../../content/tree/records.ts';
import { listScope, openCursor, sealCursor } from '../../../database/cursors.ts';
import type { Page } from '../../../database/keyset.ts';
import type { ListQuery } from '../../kit/list.ts';
import type { Services } from '../../kit/slice.ts';

/**
 * Returns one page of the files of a revision, oldest first. The cursor names the last file instead of an offset, so
 * that files that are added or deleted between two requests do not shift the pages.
 *
 * @throws InvalidCursorError if the cursor belongs to another list
 */
export function answerFiles<Item>(
  { secretKey }: Services,
  files: readonly FileRecord[],
  query: ListQuery,
  options: { list: string; owner: string; present: (file: FileRecord) => Item },
): Page<Item> {
  const scope = { key: secretKey, scope: listScope(options.list, { owner: options.owner }) };
  const after = query.page === undefined ? '' : String(openCursor(query.page, scope));
  const rest = files.filter((file) => sortKeyOf(file) > after);
  const shown = rest.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    items: shown.map(options.present),
    ...(last && shown.length < rest.length && { next: { page: sealCursor(sortKeyOf(last), scope) } }),
    count: files.length,
  };
}

/** Returns the sort key of a file: its time of creation, then its ID. */
const sortKeyOf = (file: FileRecord): string => `${file.createdAt} ${file.id}`;
