import { type PageRecord, slugOf } from '../tree/records.ts';
import { freeSlug, slugKey } from '../tree/slugs.ts';
import type { Side } from './sides.ts';
import type { TouchedPages } from './tree.ts';

/**
 * Changes the slugs of pages whose path became that of another page through the merge alone: the branch's pages get
 * `-2`, `-3` and so on. Only touched pages can have such conflicts.
 *
 * @param merged the touched pages that remain; changed in place
 * @param siblingsOf returns the children of a page in order, merged ones as in `merged`
 */
export async function separateSlugs(
  merged: Map<string, PageRecord>,
  touched: TouchedPages,
  siblingsOf: (parent: string | null) => Promise<readonly PageRecord[]>,
): Promise<void> {
  for (const [first, ...others] of pagesByLocation(merged).values()) {
    if (!first || others.length === 0) {
      continue;
    }
    const sharing = new Set([first, ...others].map(({ id }) => id));
    const siblings = await siblingsOf(first.parent);
    const used = new Set(siblings.flatMap((sibling) => slugOf(sibling) ?? []).map(slugKey));
    const isOf = (side: Side, page: PageRecord) => isAt(touched.get(page.id)?.[side], page);

    const candidates = siblings.filter(({ id }) => sharing.has(id));
    const unchanged = candidates.filter((page) => isOf('primary', page));
    for (const page of candidates) {
      if (unchanged.includes(page)) {
        continue;
      }
      const isNew = unchanged.some((other) => !isOf('branch', other) || !isOf('branch', page));
      if (isNew) {
        const slug = freeSlug(slugOf(page) ?? '', used);
        used.add(slugKey(slug));
        merged.set(page.id, withSlug(page, slug));
      } else {
        unchanged.push(page);
      }
    }
  }
}

/** Groups pages by position and slug: the pages of a group have the same path. */
function pagesByLocation(merged: ReadonlyMap<string, PageRecord>): Map<string, PageRecord[]> {
  const groups = new Map<string, PageRecord[]>();
  for (const page of merged.values()) {
    const slug = slugOf(page);
    if (slug === undefined) {
      continue;
    }
    const key = JSON.stringify([page.parent, slug]);
    const pages = groups.get(key);
    if (pages) {
      pages.push(page);
    } else {
      groups.set(key, [page]);
    }
  }
  return groups;
}

/** Returns whether a side has a page at the same position with the same slug. */
function isAt(side: PageRecord | undefined, page: PageRecord): boolean {
  return side !== undefined && side.parent === page.parent && slugOf(side) === slugOf(page);
}

function withSlug(page: PageRecord, slug: string): PageRecord {
  return page.type === 'document' || page.type === 'group' ? { ...page, slug } : page;
}
