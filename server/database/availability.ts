import { setTimeout as delay } from 'node:timers/promises';
import { classify, DatabaseUnavailableError, REASONS, type UnavailableReason } from './errors.ts';
import type { Log } from './log.ts';

/** How long a call is run again while the database is away, counted from the call or from the outage. */
export const RETRY_LIMIT_MS = 10_000;
/** The least time between two tests of the database, however often somebody asks. */
export const PROBE_INTERVAL_MS = 1000;
/** How long a test may take before the database counts as unavailable. */
export const PROBE_TIMEOUT_MS = 2000;
/** The least time between two log lines with the same reason. */
const REPEATED_LOG_MS = 10_000;

interface Outage {
  since: number;
  reasons: Set<UnavailableReason>;
  logged: boolean;
  ended: Promise<void>;
  end(): void;
}

/**
 * Knows whether the database serves. The first failure begins an outage: one log line, and a test every second
 * until one succeeds. Calls that may be run again wait for that instead of trying by themselves.
 */
export class Availability {
  readonly #log: Log;
  readonly #probe: (reasons: ReadonlySet<UnavailableReason>) => Promise<void>;
  readonly #loggedAt = new Map<UnavailableReason, number>();
  readonly #closing = new AbortController();
  #outage: Outage | undefined;
  #testedAt = Number.NEGATIVE_INFINITY;
  #tested: Promise<boolean> = Promise.resolve(true);

  /** @param probe writes something small, and rejects where that fails; it gets the reasons of the outage */
  constructor(log: Log, probe: (reasons: ReadonlySet<UnavailableReason>) => Promise<void>) {
    this.#log = log;
    this.#probe = probe;
  }

  /** Takes note of an error, and gives it back in this folder's terms. */
  noted(error: unknown): unknown {
    const classified = classify(error);
    if (classified instanceof DatabaseUnavailableError && !this.#closing.signal.aborted)
      this.#failed(classified);
    return classified;
  }

  /** Whether the database took a write within the last second. */
  async ready(): Promise<boolean> {
    if (this.#outage) return false;
    const now = performance.now();
    if (now - this.#testedAt >= PROBE_INTERVAL_MS) {
      this.#testedAt = now;
      this.#tested = this.#test(new Set()).then(
        () => true,
        (error) => {
          this.noted(error);
          return false;
        },
      );
    }
    return await this.#tested;
  }

  /**
   * Whether to run a call again that failed with `error`: waits until the database is back.
   *
   * @param startedAt when the call was made, on the clock of `performance.now()`
   */
  async mayRetry(error: unknown, startedAt: number): Promise<boolean> {
    if (!(error instanceof DatabaseUnavailableError) || !error.transient) return false;
    const outage = this.#outage;
    const deadline = Math.min(startedAt, outage?.since ?? startedAt) + RETRY_LIMIT_MS;
    const left = deadline - performance.now();
    if (left <= 0 || this.#closing.signal.aborted) return false;
    if (!outage) return true;
    const timer = new AbortController();
    const back = await Promise.race([
      outage.ended.then(() => true),
      delay(left, false, { signal: timer.signal }),
    ]);
    timer.abort();
    return back && !this.#closing.signal.aborted;
  }

  /** Refuses a call at once while an outage lasts so long that waiting for its end is no use. */
  refuseWhileAway(): void {
    const outage = this.#outage;
    if (outage?.reasons.has('unreachable') && performance.now() - outage.since > RETRY_LIMIT_MS)
      throw new DatabaseUnavailableError('unreachable');
  }

  close(): void {
    this.#closing.abort();
    this.#outage?.end();
    this.#outage = undefined;
  }

  #failed({ reason, cause, message }: DatabaseUnavailableError): void {
    const now = performance.now();
    if (this.#outage?.reasons.has(reason)) return;
    const recent = now - (this.#loggedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < REPEATED_LOG_MS;
    if (!recent) {
      this.#loggedAt.set(reason, now);
      this.#log.error(
        { err: cause ?? message, reason },
        `${REASONS[reason].message}. ${REASONS[reason].fix}`,
      );
    }
    if (this.#outage) {
      this.#outage.reasons.add(reason);
      this.#outage.logged ||= !recent;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#outage = {
      since: now,
      reasons: new Set([reason]),
      logged: !recent,
      ended: promise,
      end: resolve,
    };
    void this.#recover(this.#outage);
  }

  async #recover(outage: Outage): Promise<void> {
    while (this.#outage === outage) {
      try {
        await this.#test(outage.reasons);
        if (this.#outage !== outage) return;
        this.#outage = undefined;
        const seconds = Math.round((performance.now() - outage.since) / 1000);
        if (outage.logged) this.#log.info({ seconds }, 'the database is available again');
        outage.end();
      } catch (error) {
        this.noted(error);
        const { signal } = this.#closing;
        await delay(PROBE_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #test(reasons: ReadonlySet<UnavailableReason>): Promise<void> {
    const timer = new AbortController();
    const late = delay(PROBE_TIMEOUT_MS, undefined, { signal: timer.signal, ref: false }).then(() => {
      throw new DatabaseUnavailableError('timeout');
    });
    try {
      await Promise.race([this.#probe(reasons), late]);
    } finally {
      timer.abort();
      late.catch(() => {});
    }
  }
}
