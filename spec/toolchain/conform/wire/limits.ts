import type { Clock } from './clock.ts';
import { RunEnded } from './exchange.ts';

/** Limits of a run. An omitted number is no limit. */
export interface Limits {
  maxSeconds?: number;
  maxRequests?: number;
  /** Requests a second. */
  rate?: number;
}

/** Returns whether a URL refers to this machine (RFC 6761, `localhost`; RFC 1122 and RFC 4291, loopback). */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]';
}

/** Enforces the rate and the budget of a run. */
export class Budget {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  #requests = 0;
  /** Number of requests that the budget applies to. */
  #boundedRequests = 0;
  /** When the next request may go. */
  #next = 0;

  constructor(clock: Clock, limits: Limits, signal?: AbortSignal) {
    this.#clock = clock;
    this.#limits = limits;
    this.#signal = signal;
    this.#end = clock.now() + (limits.maxSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  }

  /** Number of requests sent, including those of cleanup. */
  get requests(): number {
    return this.#requests;
  }

  /** Milliseconds until the time limit. */
  get left(): number {
    return this.#end - this.#clock.now();
  }

  /** Returns the exhausted part of the budget; undefined if there is none. */
  exhausted(): RunEnded['reason'] | undefined {
    if (this.#signal?.aborted) {
      return 'interrupted';
    }
    if (this.left <= 0) {
      return 'time';
    }
    return this.#boundedRequests >= (this.#limits.maxRequests ?? Number.POSITIVE_INFINITY)
      ? 'requests'
      : undefined;
  }

  /**
   * Waits until the rate permits another request, and counts it.
   * @param bounded whether the budget applies; requests that clean up are only limited by the rate
   * @throws {RunEnded}
   */
  async take(bounded: boolean): Promise<void> {
    const check = () => {
      const exhausted = bounded ? this.exhausted() : undefined;
      if (exhausted) {
        throw new RunEnded(exhausted);
      }
    };
    check();
    const { rate } = this.#limits;
    if (rate !== undefined) {
      const now = this.#clock.now();
      const startTime = Math.max(now, this.#next);
      this.#next = startTime + 1000 / rate;
      if (startTime > now) {
        await this.#wait(startTime - now, bounded);
        check();
      }
    }
    this.#requests += 1;
    this.#boundedRequests += bounded ? 1 : 0;
  }

  async #wait(milliseconds: number, bounded: boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        cancelTimer();
        this.#signal?.removeEventListener('abort', done);
        resolve();
      };
      const cancelTimer = this.#clock.after(bounded ? Math.min(milliseconds, this.left) : milliseconds, done);
      if (bounded) {
        this.#signal?.addEventListener('abort', done);
      }
    });
  }
}
