import type { Log } from './log.ts';

/** Duration after which a transaction of the embedded engine is logged as slow. */
export const SLOW_TRANSACTION_MS = 1000;

/** Log message for a transaction that awaits something other than the database. Checked by tests. */
export const WAITING_TRANSACTION =
  'a transaction awaits something other than the database and blocks all writers: await it before the transaction begins';

/**
 * An open transaction of the embedded engine. Logs an error if it is still open at the end of the event loop task in
 * which it began, because it awaits a timer, a thread, a process or a file.
 */
export class OpenTransaction {
  readonly #log: Log;
  readonly #startedAt = performance.now();
  #statement: string | undefined;
  #isOpen = true;

  constructor(log: Log) {
    this.#log = log;
    // Runs after all pending promise callbacks, before any other task.
    process.nextTick(() => {
      if (this.#isOpen) {
        this.#log.error({ after: this.#statement }, WAITING_TRANSACTION);
      }
    });
  }

  /** Records the latest statement for the log. */
  note(statement: string): void {
    this.#statement = statement;
  }

  end(): void {
    if (!this.#isOpen) {
      return;
    }
    this.#isOpen = false;
    const ms = Math.round(performance.now() - this.#startedAt);
    if (ms >= SLOW_TRANSACTION_MS) {
      this.#log.warn({ ms, last: this.#statement }, 'slow transaction blocked all writers');
    }
  }
}
