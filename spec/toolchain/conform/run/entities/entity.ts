import type { Value } from '../../../model/plan/plan.ts';
import type { Slot } from '../../../model/plan/slots.ts';

/** Entity created by a session, or discovered within one. */
export interface Entity {
  slot: Slot;
  /** Value that identifies it in steps. */
  value: Value;
  /** Text that identifies it in paths. */
  text: string;
  /** Number of the event with the response that contained it. */
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
  /** Whether another session created it, and may have changed it. */
  isShared?: true;
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

/** Adds an entity, its owners, and the entities that it was created with, to the selected entities. */
export function selectEntity(env: Map<string, Entity>, entity: Entity): void {
  env.set(entity.slot.noun, entity);
  // What a request refers to belongs together: an installation in an organization refers to sites of this one.
  const related = [entity, ...entity.owners.values()].flatMap(({ uses }) => uses);
  const owners = [entity, ...related].flatMap((candidate) => [...candidate.owners.values()]);
  for (const other of [...owners, ...related]) {
    if (!env.has(other.slot.noun)) {
      env.set(other.slot.noun, other);
    }
  }
}

/** Returns the selected entities without the one of a noun and those within it, to select another one. */
export const withoutNoun = (env: ReadonlyMap<string, Entity>, noun: string): Map<string, Entity> =>
  new Map(
    [...env].filter(([name, { slot }]) => name !== noun && !slot.owners.some((owner) => owner.noun === noun)),
  );

/** Returns an entity without the owners that are not in its path: other entities that a session had selected. */
export const withPathOwners = (entity: Entity): Entity => ({
  ...entity,
  owners: new Map(
    [...entity.owners].filter(([noun]) => entity.slot.owners.some((owner) => owner.noun === noun)),
  ),
});
