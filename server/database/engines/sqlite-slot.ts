import { type Checkpoints, MAX_LOG_PAGES } from './checkpoints.ts';
import { Handle } from './sqlite-handle.ts';

/** A connection to the file that can be reopened. */
export class Slot {
  readonly #file: string;
  readonly #checkpoints: Checkpoints;
  #handle: Handle | undefined;
  #opened = false;
  #distrusted = false;
  /** Number of connections so far. */
  #connections = 0;
  /** Time when the lock of another process was first observed. */
  busySince: number | undefined;

  constructor(file: string, checkpoints: Checkpoints) {
    this.#file = file;
    this.#checkpoints = checkpoints;
  }

  open(): void {
    this.#handle = this.#open(false);
    this.#opened = true;
  }

  /** Returns the connection. Reopens it if it was dropped, or is distrusted and has no open transaction. */
  handle(): Handle {
    if (!this.#opened) {
      throw new Error('The database is not open.');
    }
    if (this.#distrusted && !this.#handle?.isTransaction) {
      this.drop();
    }
    this.#handle ??= this.#open(true);
    return this.#handle;
  }

  /** Reopens the connection before its next use outside a transaction. */
  distrust(): void {
    this.#distrusted = true;
  }

  /** Closes the connection, which rolls back an open transaction. It is reopened at its next use. */
  drop(): void {
    const dropped = this.#handle;
    this.#handle = undefined;
    this.#distrusted = false;
    try {
      dropped?.close();
    } catch {
      // The connection is no longer used.
    }
  }

  close(): void {
    this.drop();
    this.#opened = false;
  }

  /** Returns a text that changes with each commit of another connection, of this process or of others. */
  version(): string {
    const { rows } = this.handle().run<{ data_version: number }>({
      sql: 'pragma data_version',
      parameters: [],
    });
    // The numbers of different connections cannot be compared.
    return `${this.#connections} ${rows[0]?.data_version}`;
  }

  #open(existing: boolean): Handle {
    this.#connections++;
    return new Handle(this.#file, { existing, checkpointPages: MAX_LOG_PAGES[this.#checkpoints] });
  }
}
