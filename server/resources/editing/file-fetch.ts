import { EditError } from '../../content/edit/errors.ts';
import type { Log } from '../../database/log.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import type { Fetcher } from '../../outgoing/fetch.ts';

/** The largest file that is fetched, in bytes. */
const LARGEST = 50 * 1024 * 1024;
/** Most bytes that are fetched for one request, as they wait in memory to be stored all at once. */
const MOST = 100 * 1024 * 1024;
/** Milliseconds for one file, and for all of one request. */
const TIME = 30_000;
const TIME_IN_ALL = 90_000;

/** Fetches the files of one request, one after another, within bounds. */
export class FileFetch {
  readonly #fetcher: Fetcher;
  readonly #signal: AbortSignal;
  readonly #log: Log;
  readonly #until = performance.now() + TIME_IN_ALL;
  #left = MOST;

  /** @param signal ends it */
  constructor(fetcher: Fetcher, signal: AbortSignal, log: Log) {
    this.#fetcher = fetcher;
    this.#signal = signal;
    this.#log = log;
  }

  /**
   * The bytes at an address.
   *
   * @param path the field that names the address, for what is told of a failure
   * @throws EditError when there are none, or they are more than the bounds allow
   */
  async fetch(url: string, path: string): Promise<Uint8Array> {
    const time = this.#until - performance.now();
    if (time <= 0)
      throw new EditError(
        path,
        'cannot be fetched in this request: its files took too long. Add fewer at once',
      );
    const maxBytes = Math.min(LARGEST, this.#left);
    const limits = { maxBytes, timeout: Math.min(TIME, time), signal: this.#signal };
    try {
      const { status, body } = await this.#fetcher.fetch(url, limits);
      if (status < 200 || status > 299)
        throw new EditError(path, `must lead to a file: the answer there has the status ${status}`);
      this.#left -= body.byteLength;
      return body;
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      this.#log.info({ field: path, err: error }, 'a file could not be fetched');
      throw new EditError(path, `must lead to a file: ${error.message.replace(/\.$/, '')}`);
    }
  }
}
