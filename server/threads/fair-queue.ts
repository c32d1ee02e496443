/** What waits for a thread. */
export interface Waiting {
  /** Whose work it is. */
  readonly owner: string;
  /** What it keeps in memory while it waits, in bytes. */
  readonly bytes: number;
}

/** The most that may wait at a time. */
export interface QueueBounds {
  tasks: number;
  bytes: number;
}

/** A queue in which owners take turns: who adds a thousand tasks delays others by one at a time. */
export class FairQueue<Item extends Waiting> {
  /** The owners in the order of their turns. */
  readonly #items = new Map<string, Item[]>();
  readonly #perOwner: QueueBounds;
  readonly #total: QueueBounds;

  constructor(bounds: { perOwner: QueueBounds; total: QueueBounds }) {
    this.#perOwner = bounds.perOwner;
    this.#total = bounds.total;
  }

  /** Adds an item unless a bound would be exceeded. One that has the queue for itself may have any size. */
  add(item: Item): boolean {
    const own = this.#items.get(item.owner) ?? [];
    const all = [...this.#items.values()].flat();
    if (!fits(item, own, this.#perOwner) || !fits(item, all, this.#total)) return false;
    this.#items.set(item.owner, [...own, item]);
    return true;
  }

  /** Takes the next item of the owner whose turn it is among those that `isAllowed`. */
  take(isAllowed: (owner: string) => boolean): Item | undefined {
    for (const [owner, [first, ...rest]] of this.#items) {
      if (!first || !isAllowed(owner)) continue;
      this.#items.delete(owner);
      if (rest.length > 0) this.#items.set(owner, rest);
      return first;
    }
    return undefined;
  }

  /** Takes an item out of turn; false where it no longer waits. */
  remove(item: Item): boolean {
    const own = this.#items.get(item.owner) ?? [];
    const rest = own.filter((one) => one !== item);
    if (rest.length > 0) this.#items.set(item.owner, rest);
    else this.#items.delete(item.owner);
    return rest.length < own.length;
  }

  /** Takes everything. */
  clear(): Item[] {
    const all = [...this.#items.values()].flat();
    this.#items.clear();
    return all;
  }
}

function fits({ bytes }: Waiting, waiting: readonly Waiting[], bounds: QueueBounds): boolean {
  if (waiting.length === 0) return true;
  const sum = waiting.reduce((total, one) => total + one.bytes, bytes);
  return waiting.length < bounds.tasks && sum <= bounds.bytes;
}
