import { type PageRecord, slugOf } from '../tree/records.ts';
import { freeSlug, slugKey } from '../tree/slugs.ts';
import type { Side } from './sides.ts';
import type { TouchedPages } from './tree.ts';

/**
 * Changes the slugs of pages that got the path of another page only through the merge: the branch's pages get `-2`,
 * `-3` and so on. Only touched pages can have such conflicts, also with untouched pages.
 *
 * @param merged the touched pages that remain; changed in place
 * @param siblingsOf returns the children of a page in order, with merged children as in `merged`
 */
export async function separateSlugs(
  merged: Map<string, PageRecord>,
  touched: TouchedPages,
  siblingsOf: (parent: string | null) => Promise<readonly PageRecord[]>,
): Promise<void> {
  const isOf = (side: Side, page: PageRecord) => {
    const sides = touched.get(page.id);
    return sides === undefined || isAt(sides[side], page);
  };
  const pages = [...merged.values()].filter(hasSlug);
  const shared = Map.groupBy(pages, locationOf);
  // A page with parent and slug from different sides can have the path of an untouched page.
  const isCombined = (page: PageRecord) => !isOf('primary', page) && !isOf('branch', page);
  const affected = pages.filter(
    (page) => isCombined(page) || (shared.get(locationOf(page))?.length ?? 0) > 1,
  );
  for (const parent of new Set(affected.map((page) => page.parent))) {
    const siblings = await siblingsOf(parent);
    const bySlug = Map.groupBy(siblings.filter(hasSlug), (page) => slugKey(page.slug));
    const used = new Set(bySlug.keys());
    for (const candidates of bySlug.values()) {
      const unchanged = candidates.filter((page) => isOf('primary', page));
      for (const page of candidates) {
        if (unchanged.includes(page)) {
          continue;
        }
        const isNew = unchanged.some((other) => !isOf('branch', other) || !isOf('branch', page));
        if (isNew) {
          const slug = freeSlug(page.slug, used);
          used.add(slugKey(slug));
          merged.set(page.id, { ...page, slug });
        } else {
          unchanged.push(page);
        }
      }
    }
  }
}

/** Returns a text that is equal for pages with the same path. */
const locationOf = ({ parent, slug }: { parent: string | null; slug: string }) =>
  JSON.stringify([parent, slugKey(slug)]);

const hasSlug = (page: PageRecord) => page.type === 'document' || page.type === 'group';

/** Returns whether a side has a page at the same position with the same slug. */
function isAt(side: PageRecord | undefined, page: PageRecord): boolean {
  return side !== undefined && side.parent === page.parent && slugOf(side) === slugOf(page);
}
