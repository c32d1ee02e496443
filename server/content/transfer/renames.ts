import { listImported } from '../repository/read/records.ts';
import type { ImportedContent, ImportedDocument } from '../repository/types.ts';
import type { PageRecord } from '../tree/records.ts';

/**
 * Adds the pages of renamed files to the pages by origin: a new file is a renamed one if its content is that of exactly
 * one page whose file no longer exists, and of no other new file.
 */
export function withRenames(
  origins: ReadonlyMap<string, PageRecord>,
  imported: Pick<ImportedContent, 'pages'>,
): ReadonlyMap<string, PageRecord> {
  const added = new Map<string, ImportedDocument>();
  const keys = new Set<string>();
  for (const page of listImported(imported.pages)) {
    keys.add(page.key);
    if (page.type === 'document' && !origins.has(page.key)) {
      added.set(page.key, page);
    }
  }
  if (added.size === 0) {
    return origins;
  }
  const removed = [...origins].flatMap(([key, record]) => (keys.has(key) ? [] : [record]));
  const removedByOid = Map.groupBy(removed, ({ git }) => git?.oid);
  const addedByOid = Map.groupBy(added.values(), ({ git }) => git.oid);
  const result = new Map(origins);
  for (const [oid, pages] of addedByOid) {
    const [page, records] = [pages[0], removedByOid.get(oid) ?? []];
    const [record] = records;
    if (page && record && pages.length === 1 && records.length === 1) {
      result.set(page.key, record);
    }
  }
  return result;
}
