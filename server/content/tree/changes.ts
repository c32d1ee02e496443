import type { PlannedContent } from './change.ts';
import { asPage, type Content } from './content.ts';
import { readRoot } from './content-root.ts';
import { type PageRecord, slugOf } from './records.ts';
import { countAdded, diff } from './trie-diff.ts';
import { withUnstored } from './values.ts';

/** Differences between the pages of two revisions, by page ID. */
export interface PageChanges {
  added: string[];
  /** Pages with another text, title, setting or position. */
  changed: string[];
  removed: string[];
  /** Unchanged pages with a new path, because an ancestor was moved or has another slug. */
  repathed: string[];
}

/**
 * Compares the pages of two revisions; `before: null` is content without pages. The cost is proportional to the
 * difference.
 */
export async function changedPages(before: Content | null, after: Content): Promise<PageChanges> {
  const differences = await diff(before?.roots.pages ?? null, after.roots.pages, after.load);
  const changes: PageChanges = { added: [], changed: [], removed: [], repathed: [] };
  const moved: string[] = [];
  for (const [key, { before: previous, after: current }] of differences) {
    if (!key.startsWith('p:')) {
      continue;
    }
    const id = key.slice('p:'.length);
    if (previous === undefined) {
      changes.added.push(id);
    } else if (current === undefined) {
      changes.removed.push(id);
    } else {
      changes.changed.push(id);
      if (hasOtherPath(asPage(previous), asPage(current))) {
        moved.push(id);
      }
    }
  }
  const listed = new Set([...changes.added, ...changes.changed]);
  for (const id of await after.readDescendantIds(moved)) {
    if (!listed.has(id)) {
      changes.repathed.push(id);
    }
  }
  return changes;
}

/** Returns how many more pages content has than other content, of which it shares most. */
export async function countAddedPages(
  before: Content,
  { root, objects = [] }: { root: string } & Partial<Pick<PlannedContent, 'objects'>>,
): Promise<number> {
  const load = withUnstored(new Map(objects.map(({ hash, data }) => [hash, data])), before.load);
  const after = await readRoot(root, load);
  return await countAdded(before.roots.pages, after.pages, 'p:', load);
}

function hasOtherPath(before: PageRecord, after: PageRecord): boolean {
  return before.parent !== after.parent || slugOf(before) !== slugOf(after);
}
