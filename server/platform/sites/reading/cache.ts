/** Cached pages, by all that determines them, including what their visitor sees. */
import type { ShownBlock } from '../../../content/html/options.ts';
import { NamedCache } from '../../../diagnostics/caches.ts';
import type { ResponseText } from './response-text.ts';

/** Maximum size of the cached pages of a process, without their compressed forms. */
export const MAX_CACHED_RESPONSE_BYTES = 48 * 1024 * 1024;
/** Maximum size of a cached page. */
export const MAX_CACHED_PAGE_BYTES = 2 * 1024 * 1024;

/** A page, without the nonce of a response. */
export interface SitePage {
  status: number;
  text: ResponseText;
  isIndexed: boolean;
  /** Blocks of integrations in frames of the page. */
  blocks?: readonly ShownBlock[];
}

/** Caches results by all that determines them. Concurrent callers wait for the same computation. */
export class SharedResults<Value extends object> {
  readonly #results: NamedCache<Value>;
  readonly #pending = new Map<string, Promise<Value>>();
  readonly #sizeOf: (value: Value) => number;
  readonly #lifetimeOf: ((value: Value) => number) | undefined;

  /**
   * @param limits.name name in metrics
   * @param sizeOf returns the size of a result, in the unit of the limits
   * @param lifetimeOf returns the lifetime of a result in milliseconds; by default until it is evicted
   */
  constructor(
    { name, ...limits }: { name: string; maxSize: number; maxEntrySize?: number },
    sizeOf: (value: Value) => number,
    lifetimeOf?: (value: Value) => number,
  ) {
    this.#results = new NamedCache<Value>(name, limits);
    this.#sizeOf = sizeOf;
    this.#lifetimeOf = lifetimeOf;
  }

  async get(key: string, compute: () => Promise<Value>): Promise<Value> {
    const cached = this.#results.get(key);
    if (cached) {
      return cached;
    }
    const running = this.#pending.get(key) ?? compute();
    this.#pending.set(key, running);
    try {
      const result = await running;
      const ttl = this.#lifetimeOf?.(result);
      if (ttl !== 0) {
        this.#results.set(key, result, { size: this.#sizeOf(result) + 1, ...(ttl !== undefined && { ttl }) });
      }
      return result;
    } finally {
      this.#pending.delete(key);
    }
  }
}

const pages = new SharedResults<SitePage>(
  { name: 'site-pages', maxSize: MAX_CACHED_RESPONSE_BYTES, maxEntrySize: MAX_CACHED_PAGE_BYTES },
  ({ text }) => text.bytes,
);

/** Returns the page with a key. */
export const cachedPage = (key: string, create: () => Promise<SitePage>): Promise<SitePage> =>
  pages.get(key, create);
