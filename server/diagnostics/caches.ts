import { LRUCache } from 'lru-cache';

/** Lookups in the caches with a name, since the start of the process. */
export interface CacheLookups {
  hits: number;
  misses: number;
}

const lookupsByName = new Map<string, CacheLookups>();

/** The lookups in all named caches, by name. */
export const cacheLookups = (): ReadonlyMap<string, Readonly<CacheLookups>> => lookupsByName;

/**
 * A cache that counts its lookups, for metrics. Caches with the same name are counted together. Always on, because the
 * channels of lru-cache create an object for each lookup in any cache as soon as somebody listens.
 *
 * @example const pages = new NamedCache<Page>('pages', { max: 1000 })
 */
export class NamedCache<Value extends object> extends LRUCache<string, Value> {
  readonly #lookups: CacheLookups;

  constructor(name: string, options: LRUCache.Options<string, Value, unknown>) {
    super(options);
    this.#lookups = lookupsByName.get(name) ?? { hits: 0, misses: 0 };
    lookupsByName.set(name, this.#lookups);
  }

  override get(key: string): Value | undefined {
    const value = super.get(key);
    if (value === undefined) {
      this.#lookups.misses += 1;
    } else {
      this.#lookups.hits += 1;
    }
    return value;
  }
}
