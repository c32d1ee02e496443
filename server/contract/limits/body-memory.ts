import type { ServerResponse } from 'node:http';
import { unavailable } from '../errors.ts';

/** Maximum memory for the bodies of all pending requests; the same limit applies to the bodies of all responses. */
export const MAX_BUFFERED_BODY_BYTES = 268_435_456;
/** Maximum memory for the bodies of one caller's pending requests, and the same for its responses. */
export const MAX_BUFFERED_BODY_BYTES_PER_CALLER = 67_108_864;

/** Maximum size of uncounted bodies, so that large bodies never block small bodies. */
export const UNCOUNTED_BODY_BYTES = 65_536;

/** Tracks the memory used by request bodies, or by response bodies: in total and per caller. */
export class BodyMemory {
  readonly #maxBytes: number;
  readonly #maxBytesPerCaller: number;
  readonly #callers = new Map<string, number>();
  #total = 0;

  constructor(maxBytes = MAX_BUFFERED_BODY_BYTES, maxBytesPerCaller = MAX_BUFFERED_BODY_BYTES_PER_CALLER) {
    this.#maxBytes = maxBytes;
    this.#maxBytesPerCaller = maxBytesPerCaller;
  }

  /**
   * Tracks the body of one request until its response is closed.
   *
   * @param caller the key that the memory is counted under
   * @returns a function to call with the size of each chunk before the chunk is buffered
   *   @throws ContractError 503 when the memory limit is exceeded
   */
  count(caller: string, res: ServerResponse): (bytes: number) => void {
    let size = 0;
    let counted = 0;
    return (bytes) => {
      size += bytes;
      if (size <= UNCOUNTED_BODY_BYTES) {
        return;
      }
      const addedBytes = size - counted;
      const bufferedBytes = this.#callers.get(caller) ?? 0;
      if (bufferedBytes + addedBytes > this.#maxBytesPerCaller || this.#total + addedBytes > this.#maxBytes) {
        throw unavailable();
      }
      // The 'close' event that releases the memory has already fired.
      if (res.closed) {
        throw new Error('The caller closed the connection.');
      }
      if (counted === 0) {
        res.once('close', () => this.#release(caller, counted));
      }
      this.#total += addedBytes;
      this.#callers.set(caller, bufferedBytes + addedBytes);
      counted = size;
    };
  }

  #release(caller: string, bytes: number): void {
    this.#total -= bytes;
    const bufferedBytes = (this.#callers.get(caller) ?? 0) - bytes;
    if (bufferedBytes > 0) {
      this.#callers.set(caller, bufferedBytes);
    } else {
      this.#callers.delete(caller);
    }
  }
}
