import { asPage, type Content } from './content.ts';
import { type PageRecord, slugOf } from './records.ts';
import { diff } from './trie-diff.ts';

/** What differs between the pages of two revisions, by the ids of the pages. */
export interface PageChanges {
  added: string[];
  /** Another text, title, setting or place. */
  changed: string[];
  removed: string[];
  /** Those that did not change themselves, but whose path did: a page above them moved or has another slug. */
  repathed: string[];
}

/**
 * What became of the pages between two revisions; `before: null` is content without pages. The cost goes with
 * what differs.
 */
export async function changedPages(before: Content | null, after: Content): Promise<PageChanges> {
  const differences = await diff(before?.roots.pages ?? null, after.roots.pages, after.load);
  const changes: PageChanges = { added: [], changed: [], removed: [], repathed: [] };
  const moved: string[] = [];
  for (const [key, { before: was, after: is }] of differences) {
    if (!key.startsWith('p:')) continue;
    const id = key.slice('p:'.length);
    if (was === undefined) changes.added.push(id);
    else if (is === undefined) changes.removed.push(id);
    else {
      changes.changed.push(id);
      if (hasOtherPath(asPage(was), asPage(is))) moved.push(id);
    }
  }
  const known = new Set([...changes.added, ...changes.changed]);
  for (const id of await after.readIdsBelow(moved)) if (!known.has(id)) changes.repathed.push(id);
  return changes;
}

function hasOtherPath(was: PageRecord, is: PageRecord): boolean {
  return was.parent !== is.parent || slugOf(was) !== slugOf(is);
}
