/** Pages that were made, by everything that they are made from, including what their visitor sees. */
import { LRUCache } from 'lru-cache';
import type { ShownBlock } from '../../content/html/options.ts';

/** Maximum size of the cached pages of a process, in UTF-16 units. */
export const MAX_CACHED_RESPONSE_CHARACTERS = 48_000_000;
/** Maximum length of a cached page. */
export const MAX_CACHED_PAGE_CHARACTERS = 2_000_000;

/** A page, without the nonce of a response. */
export interface MadePage {
  status: number;
  html: string;
  /** Entity tag, without quotes. */
  tag: string;
  isIndexed: boolean;
  /** Blocks of integrations in frames of the page. */
  blocks?: readonly ShownBlock[];
}

const pages = new LRUCache<string, MadePage>({
  maxSize: MAX_CACHED_RESPONSE_CHARACTERS,
  maxEntrySize: MAX_CACHED_PAGE_CHARACTERS,
});
/** Pages being made: concurrent readers wait for the same one. */
const pending = new Map<string, Promise<MadePage>>();

/** Returns the page with a key, which is made at most once at a time. */
export async function cachedPage(key: string, make: () => Promise<MadePage>): Promise<MadePage> {
  const cached = pages.get(key);
  if (cached) {
    return cached;
  }
  const running = pending.get(key) ?? make();
  pending.set(key, running);
  try {
    const page = await running;
    pages.set(key, page, { size: page.html.length + 1 });
    return page;
  } finally {
    pending.delete(key);
  }
}
