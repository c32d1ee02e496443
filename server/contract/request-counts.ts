import { LRUCache } from 'lru-cache';

/** Requests are counted by minutes of the clock, so that several processes mean the same one. */
export const WINDOW_MS = 60_000;

/** How many callers and addresses are counted at the same time; beyond it the one seen last is forgotten. */
export const MAX_COUNTED_KEYS = 50_000;

/** By what part of the limit several processes together may exceed it. */
export const SHARED_TOLERANCE = 0.1;

/** How long a request waits for the counts of other processes before it is let through without. */
export const EXCHANGE_WAIT_MS = 500;

/** How long this process then counts by itself. */
const SUSPENSION_MS = 1000;

/** How many counts one exchange holds at most. */
export const MAX_EXCHANGED_KEYS = 1000;

/** The requests of one caller or address in one minute. */
export interface RequestCount {
  key: string;
  /** Minutes since 1970. */
  minute: number;
  count: number;
}

/** What several processes count together. */
export interface SharedCounts {
  /** How many processes there are, this one included. */
  readonly processes: number;
  /** Adds counts to those of all processes, and returns the sums. */
  exchange(counts: readonly RequestCount[]): Promise<readonly RequestCount[]>;
}

/** What is left for a caller or an address. */
export interface Budget {
  limit: number;
  remaining: number;
  /** Seconds to the end of the minute, when all of the limit is there again. */
  resetSeconds: number;
  /** The same as a time, in seconds since 1970. */
  resetAt: number;
  isExceeded: boolean;
}

interface Counted {
  minute: number;
  /** By all processes, as far as this one knows. */
  count: number;
  /** The part of it that other processes do not know of. */
  unreported: number;
}

/** Counts requests by key, in bounded memory, and where there are several processes together with them. */
export class RequestCounts {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #shared: SharedCounts | undefined;
  readonly #counted = new LRUCache<string, Counted>({ max: MAX_COUNTED_KEYS });
  /** The keys that the next exchange holds. */
  readonly #due = new Set<string>();
  /** The last of the requests that wait, by key. */
  readonly #turns = new Map<string, Promise<Budget>>();
  #exchanging: Promise<boolean> | undefined;
  #suspendedUntil = 0;

  constructor(limit: number, { now = Date.now, shared }: { now?: () => number; shared?: SharedCounts } = {}) {
    this.#limit = limit;
    this.#now = now;
    this.#shared = shared;
  }

  /** How many keys are counted now. */
  get size(): number {
    return this.#counted.size;
  }

  /** Counts a request of some cost, unless that would exceed the limit. */
  async take(key: string, requested = 1): Promise<Budget> {
    const cost = Math.min(requested, this.#limit);
    const before = this.#turns.get(key);
    if (!before && !this.#mustExchange(this.#of(key), cost)) return this.#count(key, cost);
    // One after the other: each exchange lets the next few through, until the limit is reached.
    const turn = Promise.resolve(before).then(() => this.#takeTurn(key, cost));
    this.#turns.set(key, turn);
    const budget = await turn;
    if (this.#turns.get(key) === turn) this.#turns.delete(key);
    return budget;
  }

  /** Takes back what {@link take} counted, where it turns out not to count. */
  giveBack(key: string, requested: number): void {
    const cost = Math.min(requested, this.#limit);
    const counted = this.#of(key);
    // Of a minute that is over there is nothing to give back.
    if (counted.count < cost) return;
    counted.count -= cost;
    counted.unreported -= cost;
    // It was reported meanwhile: the others must learn that it does not count.
    if (counted.unreported < 0 && (this.#shared?.processes ?? 1) > 1) this.#report(key);
  }

  #of(key: string): Counted {
    const minute = Math.floor(this.#now() / WINDOW_MS);
    const known = this.#counted.get(key);
    if (known?.minute === minute) return known;
    const fresh = { minute, count: 0, unreported: 0 };
    this.#counted.set(key, fresh);
    return fresh;
  }

  async #takeTurn(key: string, cost: number): Promise<Budget> {
    while (this.#mustExchange(this.#of(key), cost)) {
      if (!(await this.#exchangeSoon(key))) this.#suspendedUntil = this.#now() + SUSPENSION_MS;
    }
    return this.#count(key, cost);
  }

  #count(key: string, cost: number): Budget {
    const counted = this.#of(key);
    if (counted.count + cost > this.#limit) return this.#budget(counted, true);
    counted.count += cost;
    counted.unreported += cost;
    // Reported ahead of time, so that few requests ever wait.
    if (this.#isUnshared(counted, counted.unreported)) this.#report(key);
    return this.#budget(counted, false);
  }

  /** Has a key exchanged when it can be. */
  #report(key: string): void {
    if (this.#due.has(key)) return;
    this.#due.add(key);
    void this.#exchanged(key);
  }

  /** Whether a request that the limit has room for must wait for what other processes counted. */
  #mustExchange(counted: Counted, cost: number): boolean {
    return counted.count + cost <= this.#limit && this.#isUnshared(counted, cost);
  }

  /** Whether a key has requests that other processes do not know of, and with some more they would be too many. */
  #isUnshared({ unreported }: Counted, more: number): boolean {
    const processes = this.#shared?.processes ?? 1;
    if (processes <= 1 || unreported <= 0 || this.#now() < this.#suspendedUntil) return false;
    return unreported + more > (this.#limit * SHARED_TOLERANCE) / processes;
  }

  /** Waits until a key was exchanged, or for as long as a request may, and returns whether it was. */
  async #exchangeSoon(key: string): Promise<boolean> {
    this.#due.add(key);
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), EXCHANGE_WAIT_MS).unref();
    });
    const isExchanged = await Promise.race([this.#exchanged(key), waited]);
    clearTimeout(timer);
    return isExchanged;
  }

  async #exchanged(key: string): Promise<boolean> {
    let isExchanged = true;
    // One that is under way may have left without the key.
    while (this.#due.has(key)) {
      this.#exchanging ??= this.#exchange().finally(() => {
        this.#exchanging = undefined;
      });
      isExchanged = await this.#exchanging;
    }
    return isExchanged;
  }

  /** Whether the exchange succeeded. */
  async #exchange(): Promise<boolean> {
    const sent: RequestCount[] = [];
    for (const key of this.#due) {
      if (sent.length === MAX_EXCHANGED_KEYS) break;
      this.#due.delete(key);
      const counted = this.#counted.peek(key);
      if (counted) sent.push({ key, minute: counted.minute, count: counted.unreported });
    }
    let sums: readonly RequestCount[];
    try {
      sums = (await this.#shared?.exchange(sent)) ?? [];
    } catch {
      return false;
    }
    const reported = new Map(sent.map(({ key, count }) => [key, count]));
    for (const { key, minute, count } of sums) {
      const counted = this.#counted.peek(key);
      if (counted?.minute !== minute) continue;
      counted.unreported -= reported.get(key) ?? 0;
      counted.count = count + counted.unreported;
    }
    return true;
  }

  #budget({ minute, count }: Counted, isExceeded: boolean): Budget {
    const end = (minute + 1) * WINDOW_MS;
    return {
      limit: this.#limit,
      remaining: isExceeded ? 0 : Math.max(0, this.#limit - count),
      resetSeconds: Math.max(1, Math.ceil((end - this.#now()) / 1000)),
      resetAt: Math.ceil(end / 1000),
      isExceeded,
    };
  }
}
