/** Lists the links of contents to pages of other spaces. */
import { LRUCache } from 'lru-cache';
import { asIds } from '../tree/content.ts';
import { entries, get, type TrieRoot } from '../tree/trie.ts';
import type { Load } from '../tree/values.ts';
import { readEnd, readKey, type Source, sourceName } from './keys.ts';
import { isWebUrl } from './space-urls.ts';

/** Maximum number of links of other spaces whose keys are cached per process. */
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

/** By the root of the index. Equal roots have equal entries. */
const cached = new LRUCache<string, OutwardLinks>({ maxSize: MAX_CACHED_LINKS });

/**
 * Lists the links of an index to URLs and to pages of other spaces.
 *
 * @param root the links of the index; null lists none
 */
export async function outwardLinks(root: TrieRoot, load: Load): Promise<OutwardLinks> {
  const known = root === null ? undefined : cached.get(root);
  if (known) {
    return known;
  }
  const urls = new Map<string, string>();
  const pages = new Map<string, string>();
  for (const key of (await entries(root, load)).keys()) {
    const { relation, address } = readKey(key);
    if (relation === 'reference' && address.kind === 'url' && isWebUrl(address.url)) {
      urls.set(address.url, key);
    } else if (relation === 'reference' && address.kind === 'page' && address.space !== undefined) {
      pages.set(nameOfPage(address.space, address.page), key);
    }
  }
  const links = { urls, urlsByEnding: Map.groupBy(urls.keys(), lastSegmentOf), pages };
  if (root !== null) {
    cached.set(root, links, { size: 1 + urls.size + pages.size });
  }
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
export async function sourcesOf(root: TrieRoot, keys: Iterable<string>, load: Load): Promise<Source[]> {
  const lists = await get(root, keys, load);
  const sources = [...lists.values()].flatMap(asIds).map((end) => readEnd(end).source);
  const byName = new Map(sources.map((source) => [sourceName(source), source]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, source]) => source);
}
