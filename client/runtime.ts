/**
 * What the client takes from the place where it runs: time and chance.
 *
 * Pass an own one to `createClient` to test retries and timeouts without waiting for them.
 */
export interface Runtime {
  /** The present, in milliseconds since 1970. */
  now(): number;

  /**
   * Runs something later, once.
   * @param milliseconds how long from now
   * @param run what to run
   * @returns calls it off; does nothing once it ran
   */
  after(milliseconds: number, run: () => void): () => void;

  /** A number from 0 up to but not including 1, which spreads retries. */
  random(): number;
}

/** The longest time that `setTimeout` can count; it fires at once when asked for more. */
const longestTimer = 2 ** 31 - 1;

/** The runtime of browsers and Node. */
export const systemRuntime: Runtime = {
  now: () => Date.now(),
  after(milliseconds, run) {
    if (milliseconds > longestTimer) {
      return () => {};
    }
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/**
 * Waits, unless a signal ends the wait early.
 * @param runtime counts the time
 * @param milliseconds how long to wait
 * @param signal ends the wait; the promise then resolves at once, and the caller looks at the signal
 */
export function pause(
  runtime: Runtime,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      callOff();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const callOff = runtime.after(milliseconds, finish);
    signal?.addEventListener('abort', finish, { once: true });
    if (signal?.aborted === true) {
      finish();
    }
  });
}
