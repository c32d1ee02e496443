/** A semaphore with a bounded queue and a bounded waiting time. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  readonly #maxWaiting: number;
  readonly #waitMs: number;
  #free: number;

  /** @param waitMs maximum waiting time in milliseconds */
  constructor(count: number, maxWaiting: number, waitMs: number) {
    this.#free = count;
    this.#maxWaiting = maxWaiting;
    this.#waitMs = waitMs;
  }

  /**
   * Waits for a slot.
   *
   * @param refusal creates the error to throw if the queue is full or the waiting time is exceeded
   * @returns a function that releases the slot
   */
  async enter(refusal: () => Error): Promise<() => void> {
    if (this.#free > 0) {
      this.#free--;
    } else {
      await this.#turn(refusal);
    }
    return () => {
      const next = this.#waiting.shift();
      if (next) {
        next();
      } else {
        this.#free++;
      }
    };
  }

  #turn(refusal: () => Error): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) {
      return Promise.reject(refusal());
    }
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

/** Limits of {@link OwnerSlots}. */
export interface OwnerSlotBounds {
  /** Number of slots. */
  total: number;
  /** Maximum number of slots held by one owner. */
  perOwner: number;
  /** Maximum number of waiting requests of one owner. */
  waitingPerOwner: number;
  /** Maximum waiting time in milliseconds. */
  waitMs: number;
}

/** A semaphore shared fairly by several owners: none can take all slots or fill the queue. */
export class OwnerSlots {
  readonly #bounds: OwnerSlotBounds;
  readonly #all: Slots;
  readonly #owners = new Map<string, { slots: Slots; users: number }>();

  constructor(bounds: OwnerSlotBounds) {
    this.#bounds = bounds;
    this.#all = new Slots(bounds.total, bounds.total * bounds.waitingPerOwner, bounds.waitMs);
  }

  /**
   * Waits for a slot. Disposing of the result releases it (`using`).
   *
   * @param refusal creates the error to throw if the queue is full or the waiting time is exceeded
   */
  async enter(owner: string, refusal: () => Error): Promise<Disposable> {
    const { perOwner, waitingPerOwner, waitMs } = this.#bounds;
    const own = this.#owners.get(owner) ?? { slots: new Slots(perOwner, waitingPerOwner, waitMs), users: 0 };
    this.#owners.set(owner, own);
    own.users++;
    const releases = [
      () => {
        if (--own.users === 0) {
          this.#owners.delete(owner);
        }
      },
    ];
    const leave = () => {
      for (const release of releases.toReversed()) {
        release();
      }
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
