import { setTimeout as delay } from 'node:timers/promises';

/** Runs work with the same key one at a time, in the order of the calls. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits until earlier work with the key has ended, then runs `work`.
   *
   * @param waitMs maximum time to wait; `work` then runs next to earlier work
   */
  async run<T>(key: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    const earlier = this.#last.get(key);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const last = earlier ? earlier.then(() => ended) : ended;
    this.#last.set(key, last);
    try {
      if (earlier) {
        await withinTime(earlier, waitMs);
      }
      return await work();
    } finally {
      end();
      if (this.#last.get(key) === last) {
        this.#last.delete(key);
      }
    }
  }
}

/** Waits for a promise, but not longer than `ms`. */
async function withinTime(promise: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController();
  const timeout = delay(ms, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([promise, timeout]);
  timer.abort();
}
