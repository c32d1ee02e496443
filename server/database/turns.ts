import { DatabaseUnavailableError } from './errors.ts';

interface Waiting {
  grant(): void;
}

/** Lets a number of holders in at a time, in the order of asking. Waiting has a deadline, and the queue a limit. */
export class Turns {
  #free: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiting>();

  constructor(options: { places: number; maxWaiting: number }) {
    this.#free = options.places;
    this.#maxWaiting = options.maxWaiting;
  }

  /** A turn when one is free at once; undefined otherwise. */
  tryTake(): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    this.#free -= 1;
    return this.#turn();
  }

  /**
   * Waits for a turn.
   *
   * @param deadline on the clock of `performance.now()`, in milliseconds
   * @returns the function that ends the turn; calling it again does nothing
   * @throws DatabaseUnavailableError when none came until the deadline, or too many are waiting
   */
  async take(deadline: number): Promise<() => void> {
    const turn = this.tryTake();
    if (turn) return turn;
    if (this.#waiting.size >= this.#maxWaiting) throw new DatabaseUnavailableError('overloaded');
    return await new Promise((resolve, reject) => {
      const waiting: Waiting = {
        grant: () => {
          clearTimeout(timer);
          resolve(this.#turn());
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new DatabaseUnavailableError('overloaded'));
      }, deadline - performance.now());
      this.#waiting.add(waiting);
    });
  }

  #turn(): () => void {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      // A set keeps the order of adding: the first has waited longest.
      const [next] = this.#waiting;
      if (next) {
        this.#waiting.delete(next);
        next.grant();
      } else this.#free += 1;
    };
  }
}
