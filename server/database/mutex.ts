/** Lets one holder in at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Waits until it is this caller's turn; answers the function that lets the next one in. */
  async lock(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}
