import { type PageRecord, slugOf } from '../tree/records.ts';
import type { Side } from './sides.ts';
import type { TouchedPages } from './tree.ts';

/** The longest slug that the contract takes, in characters. */
const LONGEST = 100;

/**
 * Gives pages another slug whose path the merge alone made the path of another page, too: the branch's get `-2`,
 * `-3` and so on. Only touched pages can meet so.
 *
 * @param merged the touched pages that live; changed in place
 * @param siblingsOf the pages below a page, in order, the merged ones as they are in `merged`
 */
export async function separateSlugs(
  merged: Map<string, PageRecord>,
  touched: TouchedPages,
  siblingsOf: (parent: string | null) => Promise<readonly PageRecord[]>,
): Promise<void> {
  for (const [first, ...others] of placesOf(merged).values()) {
    if (!first || others.length === 0) continue;
    const sharing = new Set([first, ...others].map(({ id }) => id));
    const siblings = await siblingsOf(first.parent);
    const taken = new Set(siblings.flatMap((sibling) => slugOf(sibling) ?? []));
    const isOf = (side: Side, page: PageRecord) => isAt(touched.get(page.id)?.[side], page);

    const met = siblings.filter(({ id }) => sharing.has(id));
    const kept = met.filter((page) => isOf('primary', page));
    for (const page of met) {
      if (kept.includes(page)) continue;
      const isNew = kept.some((other) => !isOf('branch', other) || !isOf('branch', page));
      if (isNew) merged.set(page.id, withSlug(page, freeSlug(slugOf(page) ?? '', taken)));
      else kept.push(page);
    }
  }
}

/** Pages by where they are: those in one list share their path. */
function placesOf(merged: ReadonlyMap<string, PageRecord>): Map<string, PageRecord[]> {
  const places = new Map<string, PageRecord[]>();
  for (const page of merged.values()) {
    const slug = slugOf(page);
    if (slug === undefined) continue;
    const place = JSON.stringify([page.parent, slug]);
    const pages = places.get(place);
    if (pages) pages.push(page);
    else places.set(place, [page]);
  }
  return places;
}

/** Whether a side has a page in the place, and with the slug, that it is to have. */
function isAt(side: PageRecord | undefined, page: PageRecord): boolean {
  return side !== undefined && side.parent === page.parent && slugOf(side) === slugOf(page);
}

function withSlug(page: PageRecord, slug: string): PageRecord {
  return page.type === 'document' || page.type === 'group' ? { ...page, slug } : page;
}

/** A slug that no sibling has; it is taken then. */
function freeSlug(slug: string, taken: Set<string>): string {
  const characters = Array.from(slug);
  for (let count = 2; ; count++) {
    const suffix = `-${count}`;
    const free = characters.slice(0, LONGEST - suffix.length).join('') + suffix;
    if (taken.has(free)) continue;
    taken.add(free);
    return free;
  }
}
