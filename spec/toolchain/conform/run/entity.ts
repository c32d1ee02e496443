import type { Value } from '../../model/plan/plan.ts';
import type { Slot } from '../../model/plan/slots.ts';

/** Entity created by a session, or discovered within one. */
export interface Entity {
  slot: Slot;
  /** Value that identifies it in steps. */
  value: Value;
  /** Text that identifies it in paths. */
  text: string;
  /** Number of the event whose response contained it. */
  sourceEvent: number;
  /** Path of the request that created it. */
  creationPath: string;
  /** Percent-encoded path; undefined if its owners are unknown. */
  address: string | undefined;
  /** Owners by noun: the entities in the path of its creation, and their owners. */
  owners: ReadonlyMap<string, Entity>;
  /** Entities in the body of its creation. */
  uses: readonly Entity[];
  /** Whether it was discovered in a list instead of created. */
  isDiscovered: boolean;
  exists: boolean;
  /** Whether a request may have moved or hidden it. */
  altered: boolean;
  /** Number of requests that changed it. */
  changeCount: number;
}

/** Returns whether an entity probably existed before the run. Such entities are only read. */
export function isForeign(entity: Entity): boolean {
  return (
    entity.isDiscovered && [...entity.owners.values()].every((owner) => owner === entity || isForeign(owner))
  );
}

/** Returns whether an entity has the same owners as the selected entities. */
export function hasSameOwners(entity: Entity, env: ReadonlyMap<string, Entity>): boolean {
  for (const [noun, owner] of entity.owners) {
    const other = env.get(noun);
    if (other && other.text !== owner.text) {
      return false;
    }
  }
  return true;
}

/** Adds an entity and its owners to the selected entities. */
export function selectEntity(env: Map<string, Entity>, entity: Entity): void {
  for (const [noun, owner] of entity.owners) {
    if (!env.has(noun)) {
      env.set(noun, owner);
    }
  }
  env.set(entity.slot.noun, entity);
}
