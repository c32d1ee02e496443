import { NamedCache } from '../../diagnostics/caches.ts';
import type { Queries } from '../database.ts';
import type { Page } from './keyset.ts';

/**
 * Maximum number of characters of cached pages per process, with the text that was searched for. The least recently
 * used page is evicted first.
 */
export const MAX_CACHED_PAGE_CHARACTERS = 4_000_000;

interface CachedPage {
  /** Version of the data that the page was read from. */
  version: string;
  page: Page<unknown>;
}

const caches = new WeakMap<Queries, NamedCache<CachedPage>>();

/**
 * Returns a page from the cache, or reads and caches it. For pages that take long to find, such as those of rows that
 * contain a text.
 *
 * @param key identifies the page: its list, filters, order, limit and cursor
 * @param version version of the data that determines the rows and their order, read before this call
 * @param read reads the page; its rows must be small, such as IDs, and are not to be modified
 */
export async function cachedPage<Row>(
  queries: Queries,
  { key, version }: { key: string; version: string },
  read: () => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const cache =
    caches.get(queries) ??
    new NamedCache<CachedPage>('list-pages', {
      maxSize: MAX_CACHED_PAGE_CHARACTERS,
      sizeCalculation: ({ page }, key) => key.length + JSON.stringify(page).length,
    });
  caches.set(queries, cache);
  const cached = cache.get(key);
  if (cached?.version === version) {
    // The key identifies the list, and the rows of this list have this type.
    return cached.page as Page<Row>;
  }
  const page = await read();
  cache.set(key, { version, page });
  return page;
}
