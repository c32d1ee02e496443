import { setImmediate } from 'node:timers/promises';
import type { CompiledQuery } from 'kysely';
import type { Log } from '../log.ts';

/** Minimum duration for logging a transaction of the embedded engine as slow. */
export const SLOW_TRANSACTION_MS = 1000;

/** Minimum size of the parameters of a large transaction in bytes: writing 4 MB takes about 10 ms. */
const LARGE_TRANSACTION_BYTES = 4 * 1024 * 1024;

/** Log message for a transaction that awaits something other than the database. Checked by tests. */
export const WAITING_TRANSACTION =
  'a transaction awaits something other than the database and blocks all writers: await it before the transaction begins';

/**
 * An open transaction of the embedded engine. Logs an error if it is still open at the end of its first event loop
 * task, because it awaits a timer, a thread, a process or a file.
 */
export class OpenTransaction {
  readonly #log: Log;
  readonly #startedAt = performance.now();
  #statement: string | undefined;
  #isOpen = true;
  #isCommitting = false;
  #bytes = 0;

  constructor(log: Log) {
    this.#log = log;
    // Runs after all pending promise callbacks, before any other task.
    process.nextTick(() => {
      if (this.#isOpen && !this.#isCommitting) {
        this.#log.error({ after: this.#statement }, WAITING_TRANSACTION);
      }
    });
  }

  /** Records a statement: the latest one for the log, and the size of its parameters. */
  record({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): void {
    this.#statement = sql;
    for (const value of parameters) {
      this.#bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
    }
  }

  /**
   * Delays the commit of a large transaction to the next task: the commit waits until all data is on disk, and requests
   * would otherwise wait for both.
   *
   * @returns undefined for other transactions, which end in their first task
   */
  waitToCommit(): Promise<void> | undefined {
    if (this.#bytes < LARGE_TRANSACTION_BYTES) {
      return undefined;
    }
    this.#isCommitting = true;
    return setImmediate();
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
