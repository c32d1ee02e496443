import { setTimeout as delay } from 'node:timers/promises';
import { classify, DatabaseUnavailableError, type UnavailableReason } from './errors.ts';
import type { Log } from './log.ts';

/** Maximum time to retry calls during an outage, from the call or the start of the outage. */
export const RETRY_LIMIT_MS = 10_000;
/** Minimum interval between two probes of the database. */
export const PROBE_INTERVAL_MS = 1000;
/** Time limit of a probe before the database counts as unavailable. */
export const PROBE_TIMEOUT_MS = 2000;
/** Minimum interval between two log lines with the same reason. */
const LOG_INTERVAL_MS = 10_000;

interface Outage {
  since: number;
  reasons: Set<UnavailableReason>;
  logged: boolean;
  ended: Promise<void>;
  end(): void;
}

/**
 * Tracks the availability of the database. The first failure starts an outage: it is logged once, and the database is
 * probed every second until it is available. Retryable calls wait for the end of the outage.
 */
export class Availability {
  readonly #log: Log;
  readonly #probe: (reasons: ReadonlySet<UnavailableReason>) => Promise<void>;
  readonly #loggedAt = new Map<UnavailableReason, number>();
  readonly #closing = new AbortController();
  #outage: Outage | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probed: Promise<boolean> = Promise.resolve(true);

  /** @param probe performs a small write, given the reasons of the outage; rejects if it fails */
  constructor(log: Log, probe: (reasons: ReadonlySet<UnavailableReason>) => Promise<void>) {
    this.#log = log;
    this.#probe = probe;
  }

  /** Records an error. Returns a {@link DatabaseUnavailableError} if the database failed, otherwise the error itself. */
  recordError(error: unknown): unknown {
    const classified = classify(error);
    if (classified instanceof DatabaseUnavailableError && !this.#closing.signal.aborted) {
      this.#recordOutage(classified);
    }
    return classified;
  }

  /** Returns whether the database accepted a write within the last second. */
  async ready(): Promise<boolean> {
    if (this.#outage) {
      return false;
    }
    const now = performance.now();
    if (now - this.#probedAt >= PROBE_INTERVAL_MS) {
      this.#probedAt = now;
      this.#probed = this.#runProbe(new Set()).then(
        () => true,
        (error) => {
          this.recordError(error);
          return false;
        },
      );
    }
    return await this.#probed;
  }

  /**
   * Waits for the end of an outage. Returns whether to retry a call that failed with `error`.
   *
   * @param startedAt start of the call on the clock of `performance.now()`
   */
  async mayRetry(error: unknown, startedAt: number): Promise<boolean> {
    if (!(error instanceof DatabaseUnavailableError) || !error.transient) {
      return false;
    }
    const outage = this.#outage;
    const deadline = Math.min(startedAt, outage?.since ?? startedAt) + RETRY_LIMIT_MS;
    const remainingMs = deadline - performance.now();
    if (remainingMs <= 0 || this.#closing.signal.aborted) {
      return false;
    }
    if (!outage) {
      return true;
    }
    const timer = new AbortController();
    const isAvailable = await Promise.race([
      outage.ended.then(() => true),
      delay(remainingMs, false, { signal: timer.signal }),
    ]);
    timer.abort();
    return isAvailable && !this.#closing.signal.aborted;
  }

  /** Throws if an outage has lasted longer than the retry limit, so that calls fail without waiting. */
  requireAvailable(): void {
    const outage = this.#outage;
    if (outage?.reasons.has('unreachable') && performance.now() - outage.since > RETRY_LIMIT_MS) {
      throw new DatabaseUnavailableError('unreachable');
    }
  }

  close(): void {
    this.#closing.abort();
    this.#outage?.end();
    this.#outage = undefined;
  }

  #recordOutage({ reason, cause, message, instruction }: DatabaseUnavailableError): void {
    const now = performance.now();
    if (this.#outage?.reasons.has(reason)) {
      return;
    }
    const recent = now - (this.#loggedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS;
    if (!recent) {
      this.#loggedAt.set(reason, now);
      this.#log.error({ err: cause ?? message, reason }, instruction);
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
        await this.#runProbe(outage.reasons);
        if (this.#outage !== outage) {
          return;
        }
        this.#outage = undefined;
        const seconds = Math.round((performance.now() - outage.since) / 1000);
        if (outage.logged) {
          this.#log.info({ seconds }, 'the database is available again');
        }
        outage.end();
      } catch (error) {
        this.recordError(error);
        const { signal } = this.#closing;
        await delay(PROBE_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #runProbe(reasons: ReadonlySet<UnavailableReason>): Promise<void> {
    const timer = new AbortController();
    const timeout = delay(PROBE_TIMEOUT_MS, undefined, { signal: timer.signal, ref: false }).then(() => {
      throw new DatabaseUnavailableError('timeout');
    });
    try {
      await Promise.race([this.#probe(reasons), timeout]);
    } finally {
      timer.abort();
      timeout.catch(() => {});
    }
  }
}
