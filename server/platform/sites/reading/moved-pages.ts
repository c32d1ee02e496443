/** Redirects from the earlier paths of pages: the ID of a page remains when it is moved or renamed. */
import { LRUCache } from 'lru-cache';
import { openContent } from '../../../content/store/content.ts';
import { earlierRevisions } from '../../../content/store/revisions.ts';
import type { Content } from '../../../content/tree/content.ts';
import { type PageRecord, slugOf } from '../../../content/tree/records.ts';
import { unavailable } from '../../../contract/errors.ts';
import type { Queries } from '../../../database/database.ts';
import type { ReadingSpace } from '../structure/spaces.ts';
import { lookupSlots } from './slots.ts';
import type { Navigation, NavigationPage } from './views/navigation.ts';

/** Maximum number of earlier revisions to look up a path in. */
export const MAX_EARLIER_REVISIONS = 25;
/** Maximum length of a path that is looked up. */
export const MAX_LOOKED_UP_CHARACTERS = 2048;
/** Maximum number of characters of paths with cached lookups. */
export const MAX_CACHED_LOOKUP_CHARACTERS = 2_000_000;
/** Maximum number of segments of a path that is looked up. */
const MAX_SEGMENTS = 20;

/** IDs of pages by revision and path; null if no earlier revision has the path. */
const lookups = new LRUCache<string, { id: string | null }>({
  maxSize: MAX_CACHED_LOOKUP_CHARACTERS,
  sizeCalculation: (_lookup, key) => key.length,
});

/** Finds the page that had a path in an earlier revision of a space. */
export async function findMovedPage(
  queries: Queries,
  space: ReadingSpace,
  navigation: Navigation,
  path: readonly string[],
): Promise<NavigationPage | undefined> {
  const joined = path.join('/');
  if (path.length > MAX_SEGMENTS || joined.length > MAX_LOOKED_UP_CHARACTERS) {
    return undefined;
  }
  const key = `${space.revision} ${joined}`;
  const lookup = lookups.get(key) ?? { id: await lookUpInTurn(queries, space, navigation, path) };
  lookups.set(key, lookup);
  return lookup.id === null ? undefined : navigation.find(lookup.id);
}

/** Looks up a path in earlier revisions, which takes long in large spaces. */
async function lookUpInTurn(
  queries: Queries,
  space: ReadingSpace,
  navigation: Navigation,
  path: readonly string[],
): Promise<string | null> {
  using _slot = await lookupSlots.enter(space.organization, unavailable);
  return await findEarlier(queries, space, navigation, path);
}

async function findEarlier(
  queries: Queries,
  { id: space, revision: current }: ReadingSpace,
  navigation: Navigation,
  path: readonly string[],
): Promise<string | null> {
  for (const revision of await earlierRevisions(queries, { space, current, limit: MAX_EARLIER_REVISIONS })) {
    const record = await recordAt(await openContent(queries, revision), path);
    const page = record && (navigation.find(record.id) ?? withTextOf(record, navigation));
    if (page) {
      return page.record.id;
    }
  }
  return null;
}

/** A file that is renamed in a repository is another page with the same text. */
function withTextOf(record: PageRecord, navigation: Navigation): NavigationPage | undefined {
  const body = record.type === 'document' ? record.body : undefined;
  const pages = navigation.readable.filter((page) => body !== undefined && page.record.body === body);
  return pages.length === 1 ? pages[0] : undefined;
}

/** Returns the page at a path. Loads only the siblings on the path. */
async function recordAt(content: Content, path: readonly string[]): Promise<PageRecord | undefined> {
  let page: PageRecord | undefined;
  for (const segment of path) {
    const siblings = await content.readChildren(page?.id ?? null);
    page = siblings.find((record) => slugOf(record) === segment);
    if (!page) {
      return undefined;
    }
  }
  return page;
}
