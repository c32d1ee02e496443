import type { ServerResponse } from 'node:http';
import { unavailable } from './errors.ts';

/** How many bytes the bodies of all requests may hold until they are answered, and as many those of all responses. */
export const MAX_HELD_BODY_BYTES = 268_435_456;
/** How many bytes the bodies of one caller's requests may hold until they are answered, and as many its responses. */
export const MAX_HELD_BODY_BYTES_PER_CALLER = 67_108_864;

/** Bodies up to this size are not counted, so that large ones never keep small ones out. */
export const UNCOUNTED_BODY_BYTES = 65_536;

/** Counts the bytes of bodies in memory, in all and by caller: those of requests, or those of responses. */
export class BodyMemory {
  readonly #callers = new Map<string, number>();
  #total = 0;

  /**
   * Counts the body of one request until its response is closed.
   *
   * @param caller whose it is
   * @returns a function that takes the size of a part before it is held
   *   @throws ContractError 503 where too much is held already
   */
  count(caller: string, res: ServerResponse): (bytes: number) => void {
    let size = 0;
    let counted = 0;
    return (bytes) => {
      size += bytes;
      if (size <= UNCOUNTED_BODY_BYTES) return;
      const more = size - counted;
      const held = this.#callers.get(caller) ?? 0;
      if (held + more > MAX_HELD_BODY_BYTES_PER_CALLER || this.#total + more > MAX_HELD_BODY_BYTES)
        throw unavailable();
      // Of a response that is closed nobody would give it back.
      if (res.closed) throw new Error('The caller hung up.');
      if (counted === 0) res.once('close', () => this.#release(caller, counted));
      this.#total += more;
      this.#callers.set(caller, held + more);
      counted = size;
    };
  }

  #release(caller: string, bytes: number): void {
    this.#total -= bytes;
    const held = (this.#callers.get(caller) ?? 0) - bytes;
    if (held > 0) this.#callers.set(caller, held);
    else this.#callers.delete(caller);
  }
}
