/** A task waiting for a thread. */
export interface QueuedTask {
  /** The owner of the task. */
  readonly owner: string;
  /** Memory used by the task while it waits, in bytes. */
  readonly bytes: number;
}

/** Limits of a queue. */
export interface QueueBounds {
  tasks: number;
  bytes: number;
}

/** A queue that serves its owners round-robin: an owner with a thousand tasks delays others by one task at a time. */
export class FairQueue<Item extends QueuedTask> {
  /** Waiting items by owner, in the order of the owners' turns. */
  readonly #items = new Map<string, Item[]>();
  readonly #perOwner: QueueBounds;
  readonly #total: QueueBounds;

  constructor(bounds: { perOwner: QueueBounds; total: QueueBounds }) {
    this.#perOwner = bounds.perOwner;
    this.#total = bounds.total;
  }

  /** Adds an item. Returns false if a limit would be exceeded. An item of any size fits into an empty queue. */
  add(item: Item): boolean {
    const own = this.#items.get(item.owner) ?? [];
    const all = [...this.#items.values()].flat();
    if (!fits(item, own, this.#perOwner) || !fits(item, all, this.#total)) {
      return false;
    }
    this.#items.set(item.owner, [...own, item]);
    return true;
  }

  /** Removes and returns the next item of the first owner that `isAllowed`. */
  dequeue(isAllowed: (owner: string) => boolean): Item | undefined {
    for (const [owner, [first, ...rest]] of this.#items) {
      if (!first || !isAllowed(owner)) {
        continue;
      }
      this.#items.delete(owner);
      if (rest.length > 0) {
        this.#items.set(owner, rest);
      }
      return first;
    }
    return undefined;
  }

  /** Removes an item. Returns false if it is no longer in the queue. */
  remove(item: Item): boolean {
    const own = this.#items.get(item.owner) ?? [];
    const rest = own.filter((other) => other !== item);
    if (rest.length > 0) {
      this.#items.set(item.owner, rest);
    } else {
      this.#items.delete(item.owner);
    }
    return rest.length < own.length;
  }

  /** Removes and returns all items. */
  clear(): Item[] {
    const all = [...this.#items.values()].flat();
    this.#items.clear();
    return all;
  }
}

function fits({ bytes }: QueuedTask, waiting: readonly QueuedTask[], bounds: QueueBounds): boolean {
  if (waiting.length === 0) {
    return true;
  }
  const sum = waiting.reduce((total, task) => total + task.bytes, bytes);
  return waiting.length < bounds.tasks && sum <= bounds.bytes;
}
