import { DatabaseUnavailableError } from '../errors.ts';

interface Waiter {
  grant(): void;
}

/** A fair semaphore with a bounded queue and deadlines. */
export class Semaphore {
  #free: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiter>();

  constructor(options: { permits: number; maxWaiting: number }) {
    this.#free = options.permits;
    this.#maxWaiting = options.maxWaiting;
  }

  /** Number of callers that wait for a permit. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Acquires a permit if one is available. Returns the function that releases it, or undefined. */
  tryAcquire(): (() => void) | undefined {
    if (this.#free === 0) {
      return undefined;
    }
    this.#free -= 1;
    return this.#permit();
  }

  /**
   * Waits for a permit.
   *
   * @param deadline on the clock of `performance.now()`, in milliseconds
   * @returns a function that releases the permit; idempotent
   * @throws DatabaseUnavailableError if the deadline passes, or too many callers are waiting
   */
  async acquire(deadline: number): Promise<() => void> {
    const permit = this.tryAcquire();
    if (permit) {
      return permit;
    }
    if (this.#waiting.size >= this.#maxWaiting) {
      throw new DatabaseUnavailableError('overloaded');
    }
    return await new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: () => {
          clearTimeout(timer);
          resolve(this.#permit());
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        reject(new DatabaseUnavailableError('overloaded'));
      }, deadline - performance.now());
      this.#waiting.add(waiter);
    });
  }

  #permit(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) {
        return;
      }
      isReleased = true;
      // Sets are ordered by insertion: the first has waited longest.
      const [next] = this.#waiting;
      if (next) {
        this.#waiting.delete(next);
        next.grant();
      } else {
        this.#free += 1;
      }
    };
  }
}
