/**
 * Clock, random numbers and identifiers.
 *
 * Pass your own runtime to `createClient` to test retries and timeouts without waiting.
 */
export interface Runtime {
  /** Current time in milliseconds since 1970. */
  now(): number;

  /**
   * Runs a function once after a delay.
   * @param milliseconds delay
   * @param run function to run
   * @returns cancels the run; has no effect afterwards
   */
  after(milliseconds: number, run: () => void): () => void;

  /** Random number from 0 up to but not including 1, for the jitter of retries. */
  random(): number;

  /** Unique identifier, for idempotency keys. */
  uuid(): string;
}

/** Maximum delay of `setTimeout`, which fires immediately for longer delays. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The runtime of browsers and Node. */
export const systemRuntime: Runtime = {
  now: () => Date.now(),
  after(milliseconds, run) {
    if (milliseconds > MAX_TIMER_MS) {
      return () => {};
    }
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  uuid() {
    // Pages without HTTPS have no `crypto.randomUUID`. Version 4 of RFC 9562.
    if (typeof crypto.randomUUID === 'function') {
      return crypto.randomUUID();
    }
    const random = crypto.getRandomValues(new Uint8Array(36));
    return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit, index) =>
      (Number(digit) ^ (Number(random[index]) & (15 >> (Number(digit) / 4)))).toString(16),
    );
  },
};

/**
 * Waits for a time or until a signal is aborted.
 * @param runtime clock
 * @param milliseconds time to wait
 * @param signal ends the wait early; the promise still resolves, and the caller checks the signal
 */
export function pause(
  runtime: Runtime,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      cancelTimer();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancelTimer = runtime.after(milliseconds, finish);
    signal?.addEventListener('abort', finish, { once: true });
    if (signal?.aborted === true) {
      finish();
    }
  });
}
