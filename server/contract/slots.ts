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

/** The bounds of {@link OwnerSlots}. */
export interface OwnerSlotBounds {
  /** How many may work at a time. */
  total: number;
  /** How many of one owner may work at a time. */
  perOwner: number;
  /** How many more of one owner may wait. */
  waitingPerOwner: number;
  /** How long each waits at most for a slot, in milliseconds. */
  waitMs: number;
}

/** Slots that owners share: none takes all of them, and none fills the queue. */
export class OwnerSlots {
  readonly #bounds: OwnerSlotBounds;
  readonly #all: Slots;
  readonly #owners = new Map<string, { slots: Slots; users: number }>();

  constructor(bounds: OwnerSlotBounds) {
    this.#bounds = bounds;
    this.#all = new Slots(bounds.total, bounds.total * bounds.waitingPerOwner, bounds.waitMs);
  }

  /**
   * Waits for a slot, which is given back with what is returned (`using`).
   *
   * @param refusal makes the error for an owner who waits too often or too long
   */
  async enter(owner: string, refusal: () => Error): Promise<Disposable> {
    const { perOwner, waitingPerOwner, waitMs } = this.#bounds;
    const own = this.#owners.get(owner) ?? { slots: new Slots(perOwner, waitingPerOwner, waitMs), users: 0 };
    this.#owners.set(owner, own);
    own.users++;
    const releases = [
      () => {
        if (--own.users === 0) this.#owners.delete(owner);
      },
    ];
    const leave = () => {
      for (const release of releases.toReversed()) release();
    };
    try {
      releases.push(await own.slots.enter(refusal));
      releases.push(await this.#all.enter(refusal));
      return { [Symbol.dispose]: leave };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
