import type { Log } from './log.ts';

/** A transaction of the embedded engine that is open for longer than this, in milliseconds, is logged. */
export const SLOW_TRANSACTION_MS = 1000;

/** What is logged of a transaction that awaited something else; tests look for it. */
export const WAITING_TRANSACTION =
  'a transaction awaits something other than the database, which keeps all writers waiting: await it before the transaction begins';

/**
 * A transaction of the embedded engine from its begin to its end. Reports one that is still open when the task of the
 * event loop in which it began is over: it awaits a timer, a thread, a process or a file.
 */
export class OpenTransaction {
  readonly #log: Log;
  readonly #startedAt = performance.now();
  #statement: string | undefined;
  #isOpen = true;

  constructor(log: Log) {
    this.#log = log;
    // Runs when no promise is left to go on, before anything else does.
    process.nextTick(() => {
      if (this.#isOpen) this.#log.error({ after: this.#statement }, WAITING_TRANSACTION);
    });
  }

  /** Remembers the latest statement, which tells where a transaction waits. */
  note(statement: string): void {
    this.#statement = statement;
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const ms = Math.round(performance.now() - this.#startedAt);
    if (ms >= SLOW_TRANSACTION_MS)
      this.#log.warn({ ms, last: this.#statement }, 'a transaction kept all writers waiting for long');
  }
}
