import { type Checkpoints, MAX_LOG_PAGES } from './checkpoints.ts';
import { Handle } from './sqlite-handle.ts';

/** One of the two connections to the file, which can be replaced. */
export class Slot {
  readonly #file: string;
  readonly #checkpoints: Checkpoints;
  #handle: Handle | undefined;
  #opened = false;
  #distrusted = false;
  /** Since when another process holds the lock. */
  busySince: number | undefined;

  constructor(file: string, checkpoints: Checkpoints) {
    this.#file = file;
    this.#checkpoints = checkpoints;
  }

  open(): void {
    this.#handle = this.#open(false);
    this.#opened = true;
  }

  /** The connection, opened anew where it was dropped, or distrusted and in no transaction. */
  handle(): Handle {
    if (!this.#opened) throw new Error('The database is not open.');
    if (this.#distrusted && !this.#handle?.isTransaction) this.drop();
    this.#handle ??= this.#open(true);
    return this.#handle;
  }

  /** Has the connection opened anew before its next use outside a transaction. */
  distrust(): void {
    this.#distrusted = true;
  }

  /** Closes the connection, which rolls back what is open, and has it opened anew. */
  drop(): void {
    const dropped = this.#handle;
    this.#handle = undefined;
    this.#distrusted = false;
    try {
      dropped?.close();
    } catch {
      // Nothing uses it any more.
    }
  }

  close(): void {
    this.drop();
    this.#opened = false;
  }

  #open(existing: boolean): Handle {
    return new Handle(this.#file, { existing, checkpointPages: MAX_LOG_PAGES[this.#checkpoints] });
  }
}
