/** Names of the caches that are observed. They can be garbage collected. */
const names = new WeakMap<object, string>();

/**
 * Names a cache of the package lru-cache, so that metrics report its hits. Caches with the same name are counted together.
 *
 * @example const pages = namedCache('pages', new LRUCache<string, Page>({ max: 1000 }))
 */
export function namedCache<Cache extends object>(name: string, cache: Cache): Cache {
  names.set(cache, name);
  return cache;
}

/** Returns the name of a cache; undefined if it is not observed. */
export const cacheName = (cache: object): string | undefined => names.get(cache);
