import type { PendingFiles } from '../../../../content/store/pending-files.ts';
import type { StoredFile } from '../../../../content/tree/records.ts';
import { unavailable } from '../../../../contract/errors.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import { OutgoingError } from '../../../../outgoing/errors.ts';
import type { Fetcher } from '../../../../outgoing/fetch.ts';
import type { Context } from '../../../kit/slice.ts';

/** Maximum size of a file that is fetched for a request. */
export const MAX_FETCHED_FILE_BYTES = 50 * 1024 * 1024;
/** Maximum total size of the files that are fetched for one request. */
export const MAX_FETCHED_BYTES_PER_REQUEST = 100 * 1024 * 1024;
/** Time limit for fetching one file of a request. */
export const FILE_FETCH_TIMEOUT_MS = 30_000;
/** Time limit for fetching all files of a request. */
export const ALL_FILES_FETCH_TIMEOUT_MS = 90_000;

/** Fetches the files of one request, one at a time, within limits. */
export class FileFetch {
  readonly #ctx: Context;
  readonly #fetcher: Fetcher;
  readonly #files: PendingFiles;
  readonly #deadline = performance.now() + ALL_FILES_FETCH_TIMEOUT_MS;
  #remainingBytes = MAX_FETCHED_BYTES_PER_REQUEST;

  /** @param files stores the bytes while they arrive */
  constructor(ctx: Context, fetcher: Fetcher, files: PendingFiles) {
    this.#ctx = ctx;
    this.#fetcher = fetcher;
    this.#files = files;
  }

  /**
   * Fetches the file at a URL and stores it while it arrives.
   *
   * @param path the field that contains the URL, for error messages
   * @throws ContractError 400 or 409 if the file cannot be fetched or exceeds the size limits
   * @throws ContractError 503 if too many files are being fetched
   */
  async store(url: string, path: string): Promise<StoredFile> {
    const { slots, signal, log } = this.#ctx;
    using _slot = await slots.fileFetches.enter(this.#files.organization, unavailable);
    const remainingMs = this.#deadline - performance.now();
    if (remainingMs <= 0) {
      throw fieldInvalid(
        path,
        'timed out: the files of the request took too long to fetch. Add fewer at once',
      );
    }
    const maxBytes = Math.min(MAX_FETCHED_FILE_BYTES, this.#remainingBytes);
    const limits = { maxBytes, timeout: Math.min(FILE_FETCH_TIMEOUT_MS, remainingMs), signal };
    try {
      const stored = await this.#fetcher.read(url, limits, async ({ status }, parts) => {
        if (status < 200 || status > 299) {
          throw fieldInvalid(path, `must be the URL of a file: the server returned the status ${status}`);
        }
        return await this.#files.add(parts);
      });
      this.#remainingBytes -= stored.size;
      return stored;
    } catch (error) {
      if (!(error instanceof OutgoingError)) {
        throw error;
      }
      log.info({ field: path, err: error }, 'a file could not be fetched');
      throw fieldInvalid(path, `must be the URL of a file: ${error.message.replace(/\.$/, '')}`);
    }
  }
}
