import type { PendingFiles } from '../../../content/store/pending-files.ts';
import type { StoredFile } from '../../../content/tree/records.ts';
import { unavailable } from '../../../contract/errors.ts';
import { type OwnerSlotBounds, OwnerSlots } from '../../../contract/slots.ts';
import type { Log } from '../../../database/log.ts';
import { fieldInvalid } from '../../../errors.ts';
import { OutgoingError } from '../../../outgoing/errors.ts';
import type { Fetcher } from '../../../outgoing/fetch.ts';

/** Maximum size of a file that is fetched for a request. */
export const MAX_FETCHED_FILE_BYTES = 50 * 1024 * 1024;
/** Maximum total size of the files that are fetched for one request. */
export const MAX_FETCHED_BYTES_PER_REQUEST = 100 * 1024 * 1024;
/** Time limit for fetching one file of a request. */
export const FILE_FETCH_TIMEOUT_MS = 30_000;
/** Time limit for fetching all files of a request. */
export const ALL_FILES_FETCH_TIMEOUT_MS = 90_000;

/** Limits of concurrent file fetches per process. Each fetch uses about 3 MB of memory. */
export const FILE_FETCH_LIMITS: OwnerSlotBounds = {
  total: 32,
  perOwner: 4,
  waitingPerOwner: 50,
  waitMs: 30_000,
};

/** Creates the slots of all requests that fetch files, which organizations share. */
export const createFetchSlots = (): OwnerSlots => new OwnerSlots(FILE_FETCH_LIMITS);

/** Services of {@link FileFetch}. */
export interface FileFetchServices {
  fetcher: Fetcher;
  /** Stores the bytes while they arrive. */
  files: PendingFiles;
  slots: OwnerSlots;
  /** Aborts the fetch. */
  signal: AbortSignal;
  log: Log;
}

/** Fetches the files of one request, one at a time, within limits. */
export class FileFetch {
  readonly #services: FileFetchServices;
  readonly #deadline = performance.now() + ALL_FILES_FETCH_TIMEOUT_MS;
  #remainingBytes = MAX_FETCHED_BYTES_PER_REQUEST;

  constructor(services: FileFetchServices) {
    this.#services = services;
  }

  /**
   * Fetches the file at a URL and stores it while it arrives.
   *
   * @param path the field that contains the URL, for error messages
   * @throws ContractError 400 or 409 if the file cannot be fetched or exceeds the size limits
   * @throws ContractError 503 if too many files are being fetched
   */
  async store(url: string, path: string): Promise<StoredFile> {
    const { fetcher, files, slots, signal, log } = this.#services;
    using _slot = await slots.enter(files.organization, unavailable);
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
      const stored = await fetcher.read(url, limits, async ({ status }, parts) => {
        if (status < 200 || status > 299) {
          throw fieldInvalid(path, `must be the URL of a file: the server returned the status ${status}`);
        }
        return await files.add(parts);
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
