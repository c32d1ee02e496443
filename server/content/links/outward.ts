/** Lists the links of contents to pages of other spaces. */
import { LRUCache } from 'lru-cache';
import { asIds } from '../tree/content.ts';
import { entries, get, type TrieRoot } from '../tree/trie.ts';
import type { Load } from '../tree/values.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';
import { readEnd, readKey, type Source, sourceName } from './keys.ts';
import { isWebUrl } from './space-urls.ts';

/** Maximum number of links of other spaces with cached keys per process. */
export const MAX_CACHED_LINKS = 200_000;

/** Links of a content that may lead to other spaces, by their keys in its index. */
interface OutwardLinks {
  /** Keys by URL. */
  urls: ReadonlyMap<string, string>;
  /** URLs by the last segment of their path, decoded. */
  urlsByEnding: ReadonlyMap<string, readonly string[]>;
  /** Keys by the name of the page (see {@link nameOfPage}). */
  pages: ReadonlyMap<string, string>;
}

/** The links of an index. */
export interface LinksIndex {
  /** Null for an index without links. */
  root: TrieRoot;
  load: Load;
}

const cached = new LRUCache<string, OutwardLinks>({ maxSize: MAX_CACHED_LINKS });

/**
 * Lists the links of a content to URLs and to pages of other spaces.
 *
 * @param name of the content, which never changes: the ID of its revision, or the root of its links
 * @param open opens its index; called unless the links are cached
 */
export async function outwardLinks(name: string, open: () => Promise<LinksIndex>): Promise<OutwardLinks> {
  const known = cached.get(name);
  if (known) {
    return known;
  }
  const { root, load } = await open();
  const urls = new Map<string, string>();
  const urlsByEnding = new Map<string, string[]>();
  const pages = new Map<string, string>();
  for (const key of (await entries(root, load)).keys()) {
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
    const { relation, address } = readKey(key);
    if (relation === 'reference' && address.kind === 'url' && isWebUrl(address.url)) {
      urls.set(address.url, key);
      const ending = lastSegmentOf(address.url);
      const others = urlsByEnding.get(ending);
      if (others) {
        others.push(address.url);
      } else {
        urlsByEnding.set(ending, [address.url]);
      }
    } else if (relation === 'reference' && address.kind === 'page' && address.space !== undefined) {
      pages.set(nameOfPage(address.space, address.page), key);
    }
  }
  const links = { urls, urlsByEnding, pages };
  cached.set(name, links, { size: 1 + urls.size + pages.size });
  return links;
}

/** Returns the last segment of the path of a URL, decoded; empty if there is none. */
function lastSegmentOf(text: string): string {
  const path = URL.parse(text.trim())?.pathname.replace(/\/+$/, '') ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Returns the name of a page of a space in {@link OutwardLinks}. */
export const nameOfPage = (space: string, page: string): string => `${space}/${page}`;

/** Lists the sources of links by their keys, without duplicates and ordered by name. */
export async function sourcesOf({ root, load }: LinksIndex, keys: Iterable<string>): Promise<Source[]> {
  const lists = await get(root, keys, load);
  const sources = [...lists.values()].flatMap(asIds).map((end) => readEnd(end).source);
  const byName = new Map(sources.map((source) => [sourceName(source), source]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, source]) => source);
}
