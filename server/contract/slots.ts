/** Lets a bounded number of callers work at a time; a bounded number of others wait for a bounded time. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  readonly #maxWaiting: number;
  readonly #waitMs: number;
  #free: number;

  /** @param waitMs how long a caller waits for its turn, in milliseconds */
  constructor(count: number, maxWaiting: number, waitMs: number) {
    this.#free = count;
    this.#maxWaiting = maxWaiting;
    this.#waitMs = waitMs;
  }

  /**
   * Waits for a slot.
   *
   * @param refusal makes the error for a caller whose turn does not come
   * @returns the function that gives the slot back
   */
  async enter(refusal: () => Error): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(refusal);
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #turn(refusal: () => Error): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      const proceed = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
        reject(refusal());
      }, this.#waitMs);
      this.#waiting.push(proceed);
    });
  }
}
