import { LRUCache } from 'lru-cache';

/** Length of a rate-limit window. Windows are aligned to the clock, so that all processes use the same ones. */
export const WINDOW_MS = 60_000;

/** Maximum number of callers and addresses counted at the same time. The least recently used is dropped first. */
export const MAX_COUNTED_KEYS = 50_000;

/** Fraction of the limit that several processes together may exceed it by. */
export const SHARED_TOLERANCE = 0.1;

/** Maximum time that a request waits for the counts of other processes before it is allowed without them. */
export const EXCHANGE_TIMEOUT_MS = 500;

/** Time that this process then counts alone. */
const SUSPENSION_MS = 1000;

/** Maximum number of counts in one exchange. */
export const MAX_EXCHANGED_KEYS = 1000;

/** The requests of one caller or address in one minute. */
export interface RequestCount {
  key: string;
  /** Minutes since 1970. */
  minute: number;
  count: number;
}

/** Counts shared by several processes. */
export interface SharedCounts {
  /** Number of processes, including this one. */
  readonly processes: number;
  /** Adds counts to the totals of all processes and returns the new totals. */
  exchange(counts: readonly RequestCount[]): Promise<readonly RequestCount[]>;
}

/** The remaining requests of a caller or an address. */
export interface Budget {
  limit: number;
  remaining: number;
  /** Seconds until the window ends and the limit resets. */
  resetSeconds: number;
  /** End of the window, in seconds since 1970. */
  resetAt: number;
  isExceeded: boolean;
}

interface WindowCount {
  minute: number;
  /** Requests of this process, and those of the other processes as of the last exchange. */
  count: number;
  /** The part of `count` that is not yet sent to other processes. */
  unreported: number;
}

/** Counts requests by key in bounded memory, shared with other processes if there are several. */
export class RequestCounts {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #shared: SharedCounts | undefined;
  readonly #counts = new LRUCache<string, WindowCount>({ max: MAX_COUNTED_KEYS });
  /** Keys to include in the next exchange. */
  readonly #due = new Set<string>();
  /** The last waiting request of each key. */
  readonly #turns = new Map<string, Promise<Budget>>();
  #exchanging: Promise<boolean> | undefined;
  #suspendedUntil = 0;

  constructor(limit: number, { now = Date.now, shared }: { now?: () => number; shared?: SharedCounts } = {}) {
    this.#limit = limit;
    this.#now = now;
    this.#shared = shared;
  }

  /** Number of keys currently counted. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts a request with a cost, unless that would exceed the limit. */
  async count(key: string, weight = 1): Promise<Budget> {
    const cost = Math.min(weight, this.#limit);
    const previous = this.#turns.get(key);
    if (!previous && !this.#mustExchange(this.#of(key), cost)) {
      return this.#count(key, cost);
    }
    // In sequence: each exchange allows a few more requests, until the limit is reached.
    const turn = Promise.resolve(previous).then(() => this.#countInTurn(key, cost));
    this.#turns.set(key, turn);
    const budget = await turn;
    if (this.#turns.get(key) === turn) {
      this.#turns.delete(key);
    }
    return budget;
  }

  /** Reverts a {@link count} of a request that does not count after all. */
  refund(key: string, weight: number): void {
    const cost = Math.min(weight, this.#limit);
    const counted = this.#of(key);
    // The window of the request is over.
    if (counted.count < cost) {
      return;
    }
    counted.count -= cost;
    counted.unreported -= cost;
    // Already sent to the other processes, which need the correction.
    if (counted.unreported < 0 && (this.#shared?.processes ?? 1) > 1) {
      this.#report(key);
    }
  }

  #of(key: string): WindowCount {
    const minute = Math.floor(this.#now() / WINDOW_MS);
    const current = this.#counts.get(key);
    if (current?.minute === minute) {
      return current;
    }
    const counted = { minute, count: 0, unreported: 0 };
    this.#counts.set(key, counted);
    return counted;
  }

  async #countInTurn(key: string, cost: number): Promise<Budget> {
    while (this.#mustExchange(this.#of(key), cost)) {
      if (!(await this.#exchangeSoon(key))) {
        this.#suspendedUntil = this.#now() + SUSPENSION_MS;
      }
    }
    return this.#count(key, cost);
  }

  #count(key: string, cost: number): Budget {
    const counted = this.#of(key);
    if (counted.count + cost > this.#limit) {
      return this.#budget(counted, true);
    }
    counted.count += cost;
    counted.unreported += cost;
    // Exchanged ahead of time, so that requests rarely wait.
    if (this.#isUnshared(counted, counted.unreported)) {
      this.#report(key);
    }
    return this.#budget(counted, false);
  }

  /** Schedules the exchange of a key. */
  #report(key: string): void {
    if (this.#due.has(key)) {
      return;
    }
    this.#due.add(key);
    void this.#exchanged(key);
  }

  /** Returns whether a request within the limit must wait for the counts of other processes. */
  #mustExchange(counted: WindowCount, cost: number): boolean {
    return counted.count + cost <= this.#limit && this.#isUnshared(counted, cost);
  }

  /** Returns whether the unreported requests of a key, plus `cost`, would exceed the tolerance. */
  #isUnshared({ unreported }: WindowCount, cost: number): boolean {
    const processes = this.#shared?.processes ?? 1;
    if (processes <= 1 || unreported <= 0 || this.#now() < this.#suspendedUntil) {
      return false;
    }
    return unreported + cost > (this.#limit * SHARED_TOLERANCE) / processes;
  }

  /** Waits for the exchange of a key, up to {@link EXCHANGE_TIMEOUT_MS}. Returns whether it succeeded. */
  async #exchangeSoon(key: string): Promise<boolean> {
    this.#due.add(key);
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), EXCHANGE_TIMEOUT_MS).unref();
    });
    const isExchanged = await Promise.race([this.#exchanged(key), timedOut]);
    clearTimeout(timer);
    return isExchanged;
  }

  async #exchanged(key: string): Promise<boolean> {
    let isExchanged = true;
    // An exchange in progress may have started without the key.
    while (this.#due.has(key)) {
      this.#exchanging ??= this.#exchange().finally(() => {
        this.#exchanging = undefined;
      });
      isExchanged = await this.#exchanging;
    }
    return isExchanged;
  }

  /** Exchanges the due counts. Returns whether the exchange succeeded. */
  async #exchange(): Promise<boolean> {
    const sent: RequestCount[] = [];
    for (const key of this.#due) {
      if (sent.length === MAX_EXCHANGED_KEYS) {
        break;
      }
      this.#due.delete(key);
      const counted = this.#counts.peek(key);
      if (counted) {
        sent.push({ key, minute: counted.minute, count: counted.unreported });
      }
    }
    let sums: readonly RequestCount[];
    try {
      sums = (await this.#shared?.exchange(sent)) ?? [];
    } catch {
      return false;
    }
    const reported = new Map(sent.map(({ key, count }) => [key, count]));
    for (const { key, minute, count } of sums) {
      const counted = this.#counts.peek(key);
      if (counted?.minute !== minute) {
        continue;
      }
      counted.unreported -= reported.get(key) ?? 0;
      counted.count = count + counted.unreported;
    }
    return true;
  }

  #budget({ minute, count }: WindowCount, isExceeded: boolean): Budget {
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
