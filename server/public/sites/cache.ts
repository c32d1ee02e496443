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

/** Caches results by what they are made from. Each is made at most once at a time. */
export class SharedResults<Value extends object> {
  readonly #results: LRUCache<string, Value>;
  /** Results being made: concurrent readers wait for the same one. */
  readonly #pending = new Map<string, Promise<Value>>();
  readonly #sizeOf: (value: Value) => number;

  /** @param sizeOf the size of a result, in the unit of the limits */
  constructor(limits: { maxSize: number; maxEntrySize?: number }, sizeOf: (value: Value) => number) {
    this.#results = new LRUCache(limits);
    this.#sizeOf = sizeOf;
  }

  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    const cached = this.#results.get(key);
    if (cached) {
      return cached;
    }
    const running = this.#pending.get(key) ?? make();
    this.#pending.set(key, running);
    try {
      const result = await running;
      this.#results.set(key, result, { size: this.#sizeOf(result) + 1 });
      return result;
    } finally {
      this.#pending.delete(key);
    }
  }
}

const pages = new SharedResults<MadePage>(
  { maxSize: MAX_CACHED_RESPONSE_CHARACTERS, maxEntrySize: MAX_CACHED_PAGE_CHARACTERS },
  ({ html }) => html.length,
);

/** Returns the page with a key. */
export const cachedPage = (key: string, make: () => Promise<MadePage>): Promise<MadePage> =>
  pages.get(key, make);
