import { OutgoingError } from '../../outgoing/errors.ts';
import type { FetchedHead, FetchedResource, Fetcher, FetchLimits } from '../../outgoing/fetch.ts';
import type { ScratchFile } from '../../threads/scratch-file.ts';

/** Time limit for fetching one page or image, within the limit of the whole import. */
export const IMPORT_FETCH_TIMEOUT_MS = 20_000;

type BudgetedFetch = Pick<FetchLimits, 'accept' | 'onRedirect' | 'maxBytes'>;

/** Fetches the resources of one conversion within its limits of time and size. */
export class Budget {
  readonly #fetcher: Pick<Fetcher, 'fetch' | 'read'>;
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  #bytes: number;

  constructor(
    fetcher: Pick<Fetcher, 'fetch' | 'read'>,
    { bytes, milliseconds }: { bytes: number; milliseconds: number },
    signal?: AbortSignal,
  ) {
    this.#fetcher = fetcher;
    this.#signal = signal;
    this.#bytes = bytes;
    this.#end = performance.now() + milliseconds;
  }

  /** Whether a limit is reached. */
  get spent(): boolean {
    return this.#bytes <= 0 || performance.now() >= this.#end;
  }

  /**
   * Fetches one resource, see {@link Fetcher}.
   * @throws OutgoingError, `timeout` if no time is left and `too-large` if the size limit is exceeded
   */
  async fetch(address: string | URL, options: BudgetedFetch): Promise<FetchedResource> {
    return await this.#spend(options, async (limits) => {
      const resource = await this.#fetcher.fetch(address, limits);
      return [resource, resource.body.byteLength];
    });
  }

  /**
   * Fetches one resource into a file.
   * @throws OutgoingError like `fetch`
   */
  async fetchInto(file: ScratchFile, address: string | URL, options: BudgetedFetch): Promise<FetchedHead> {
    return await this.#spend(options, (limits) =>
      this.#fetcher.read(
        address,
        limits,
        async (head, parts): Promise<[FetchedHead, number]> => [head, (await file.appendAll(parts)).length],
      ),
    );
  }

  /** @param fetch returns the result and its size in bytes */
  async #spend<Result>(
    { maxBytes, ...options }: BudgetedFetch,
    fetch: (limits: FetchLimits) => Promise<[result: Result, bytes: number]>,
  ): Promise<Result> {
    const availableBytes = Math.min(maxBytes, this.#bytes);
    const timeoutMs = Math.min(IMPORT_FETCH_TIMEOUT_MS, this.#end - performance.now());
    if (timeoutMs <= 0) {
      throw new OutgoingError('timeout', 'The time limit for fetching the source was exceeded.');
    }
    try {
      const [result, bytes] = await fetch({
        ...options,
        maxBytes: Math.max(0, availableBytes),
        timeout: Math.max(1, Math.floor(timeoutMs)),
        ...(this.#signal && { signal: this.#signal }),
      });
      this.#bytes -= bytes;
      return result;
    } catch (error) {
      // These bytes were read before the limit was reached.
      if (error instanceof OutgoingError && error.code === 'too-large') {
        this.#bytes -= availableBytes;
      }
      throw error;
    }
  }
}
