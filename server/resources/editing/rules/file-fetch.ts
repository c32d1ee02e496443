import type { PendingFiles } from '../../../content/store/pending-files.ts';
import type { StoredFile } from '../../../content/tree/records.ts';
import { unavailable } from '../../../contract/errors.ts';
import { type OwnerSlotBounds, OwnerSlots } from '../../../contract/slots.ts';
import type { Log } from '../../../database/log.ts';
import { fieldInvalid } from '../../../errors.ts';
import { OutgoingError } from '../../../outgoing/errors.ts';
import type { Fetcher } from '../../../outgoing/fetch.ts';

/** The largest file that a request can have fetched, in bytes. */
export const MAX_FETCHED_FILE_BYTES = 50 * 1024 * 1024;
/** Bytes of all files that one request can have fetched. */
export const MAX_FETCHED_BYTES_PER_REQUEST = 100 * 1024 * 1024;
/** How long fetching one file of a request may take, in milliseconds. */
export const FILE_FETCH_TIMEOUT_MS = 30_000;
/** How long fetching all files of a request may take, in milliseconds. */
export const ALL_FILES_FETCH_TIMEOUT_MS = 90_000;

/** Files that one process fetches for requests at the same time: each takes some 3 MB of memory. */
export const FILE_FETCH_LIMITS: OwnerSlotBounds = {
  total: 32,
  perOwner: 4,
  waitingPerOwner: 50,
  waitMs: 30_000,
};

/** The slots of all requests that fetch files; organizations share them. */
export const createFetchSlots = (): OwnerSlots => new OwnerSlots(FILE_FETCH_LIMITS);

/** What {@link FileFetch} works with. */
export interface FileFetchServices {
  fetcher: Fetcher;
  /** Where the bytes go as they arrive. */
  files: PendingFiles;
  slots: OwnerSlots;
  /** Ends it. */
  signal: AbortSignal;
  log: Log;
}

/** Fetches the files of one request, one after another, within bounds. */
export class FileFetch {
  readonly #services: FileFetchServices;
  readonly #until = performance.now() + ALL_FILES_FETCH_TIMEOUT_MS;
  #left = MAX_FETCHED_BYTES_PER_REQUEST;

  constructor(services: FileFetchServices) {
    this.#services = services;
  }

  /**
   * Stores the file at an address while it arrives.
   *
   * @param path the field that names the address, for what is told of a failure
   * @throws ContractError 400 or 409 when there is none, or it is larger than the bounds allow
   * @throws ContractError 503 when too many files are fetched already
   */
  async store(url: string, path: string): Promise<StoredFile> {
    const { fetcher, files, slots, signal, log } = this.#services;
    using _slot = await slots.enter(files.organization, unavailable);
    const time = this.#until - performance.now();
    if (time <= 0)
      throw fieldInvalid(
        path,
        'timed out: the files of the request took too long to fetch. Add fewer at once',
      );
    const maxBytes = Math.min(MAX_FETCHED_FILE_BYTES, this.#left);
    const limits = { maxBytes, timeout: Math.min(FILE_FETCH_TIMEOUT_MS, time), signal };
    try {
      const stored = await fetcher.read(url, limits, async ({ status }, parts) => {
        if (status < 200 || status > 299)
          throw fieldInvalid(path, `must be the URL of a file: the server returned the status ${status}`);
        return await files.add(parts);
      });
      this.#left -= stored.size;
      return stored;
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      log.info({ field: path, err: error }, 'a file could not be fetched');
      throw fieldInvalid(path, `must be the URL of a file: ${error.message.replace(/\.$/, '')}`);
    }
  }
}
