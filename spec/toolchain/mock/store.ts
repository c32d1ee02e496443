import type { Slot } from '../model/plan/slots.ts';

/** Values of path parameters, by the key of their slot. */
export type Ids = Readonly<Record<string, string>>;

/** A stored entity. */
export interface Entity {
  /** Number among the entities of its slot, from 1. */
  number: number;
  /** Its own ID and the IDs of the entities that contain it. */
  ids: Ids;
  /** Properties that requests set. */
  fields: Readonly<Record<string, unknown>>;
}

/** Maximum number of entities of a mock. The oldest are removed. */
export const MAX_MOCK_ENTITIES = 10_000;

/** The entities of a mock, in memory. */
export class MockStore {
  readonly #entities = new Map<string, { slot: Slot; entity: Entity }>();
  readonly #numbers = new Map<string, number>();

  /** Returns the next number of an entity of a slot. */
  nextNumber({ key }: Slot): number {
    const number = (this.#numbers.get(key) ?? 0) + 1;
    this.#numbers.set(key, number);
    return number;
  }

  get(slot: Slot, ids: Ids): Entity | undefined {
    return this.#entities.get(identity(slot, ids))?.entity;
  }

  /** Adds or replaces an entity. */
  set(slot: Slot, entity: Entity): void {
    this.#entities.set(identity(slot, entity.ids), { slot, entity });
    const [oldest] = this.#entities.keys();
    if (this.#entities.size > MAX_MOCK_ENTITIES && oldest !== undefined) {
      this.#entities.delete(oldest);
    }
  }

  /** Removes an entity and those that it contains. */
  delete(slot: Slot, ids: Ids): void {
    const removed = pick(slot, ids);
    for (const [key, { entity }] of this.#entities) {
      if (contains(entity.ids, removed)) {
        this.#entities.delete(key);
      }
    }
  }

  /** Returns the entities of a slot that are in all of the given entities, in the order of their creation. */
  list(slot: Slot, within: Ids): Entity[] {
    return [...this.#entities.values()].flatMap(({ slot: { key }, entity }) =>
      key === slot.key && contains(entity.ids, within) ? [entity] : [],
    );
  }
}

const contains = (ids: Ids, within: Ids): boolean =>
  Object.entries(within).every(([key, id]) => ids[key] === id);

/** Returns the IDs of the path of a slot. */
const pick = (slot: Slot, ids: Ids): Ids =>
  Object.fromEntries([...slot.owners, slot].map(({ key }) => [key, ids[key] ?? '']));

const identity = (slot: Slot, ids: Ids): string => JSON.stringify([slot.key, pick(slot, ids)]);
