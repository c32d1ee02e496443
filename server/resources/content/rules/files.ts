import type { FileRecord } from '../../../content/tree/records.ts';
import { listScope, openCursor, sealCursor } from '../../../database/cursors.ts';
import type { Page } from '../../../database/keyset.ts';
import type { ListQuery } from '../../kit/list.ts';
import type { Services } from '../../kit/slice.ts';

/**
 * One page of the files of a revision, which come as one list, the oldest first. Like every cursor, this one
 * names the last file and not a number, so that files that come and go in between shift nothing.
 *
 * @throws InvalidCursorError for a cursor of another list
 */
export function answerFiles<Item>(
  { secretKey }: Services,
  files: readonly FileRecord[],
  query: ListQuery,
  options: { list: string; owner: string; present: (file: FileRecord) => Item },
): Page<Item> {
  const scope = { key: secretKey, scope: listScope(options.list, { owner: options.owner }) };
  const after = query.page === undefined ? '' : String(openCursor(query.page, scope));
  const rest = files.filter((file) => placeOf(file) > after);
  const shown = rest.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    items: shown.map(options.present),
    ...(last && shown.length < rest.length && { next: { page: sealCursor(placeOf(last), scope) } }),
    count: files.length,
  };
}

/** Compares as files are listed: by age, then by id. */
const placeOf = (file: FileRecord): string => `${file.createdAt} ${file.id}`;
