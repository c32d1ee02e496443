import type { Step } from '../../model/plan/plan.ts';
import type { Resources } from '../../model/plan/resources.ts';
import type { Slot } from '../../model/plan/slots.ts';
import type { FieldLocation } from '../requests/requests.ts';
import { type Entity, hasSameOwners, isForeign } from './entity.ts';
import { referencesOf } from './resolve.ts';
import type { Session } from './session.ts';

/** Number of changes after which an entity is replaced. More would make failures hard to reproduce. */
const MAX_CHANGES = 40;

/** Finds the entities of a session that requests can use. */
export class EntityFinder {
  readonly #session: Session;
  readonly #resources: Resources;

  constructor(session: Session, resources: Resources) {
    this.#session = session;
    this.#resources = resources;
  }

  /** Returns the newest entity of a slot that has the same owners as the selected entities. */
  pick(slot: Slot, env: ReadonlyMap<string, Entity>, includeExisting = false): Entity | undefined {
    const producers = this.#resources
      .producersOf(slot)
      .filter((candidate) => candidate.slot.key === slot.key);
    const creators = producers.filter(({ kind }) => kind !== 'list');
    const isSuitable = (entity: Entity) => {
      if (entity.slot.key === slot.key || creators.length === 0) {
        return true;
      }
      const creator = this.#session.events[entity.sourceEvent]?.operation;
      const owned = slot.owners.every(({ noun }) => entity.owners.has(noun));
      return owned && creators.some(({ operation }) => operation === creator);
    };
    return this.#session.entities.findLast(
      (entity) =>
        entity.exists &&
        (includeExisting || !isForeign(entity)) &&
        entity.changeCount < MAX_CHANGES &&
        entity.slot.noun === slot.noun &&
        hasSameOwners(entity, env) &&
        isSuitable(entity),
    );
  }

  /** Returns the entities that a field can identify, with the same owners. */
  identifiedBy({ name }: FieldLocation, env: ReadonlyMap<string, Entity>): Entity[] {
    const nouns = new Set(this.#resources.slotsNamed(name).map(({ noun }) => noun));
    const pathEntities = new Set(env.values());
    const all = this.#session.entities.filter(
      (entity) =>
        entity.exists && !isForeign(entity) && nouns.has(entity.slot.noun) && hasSameOwners(entity, env),
    );
    const others = all.filter((entity) => !pathEntities.has(entity));
    return (others.length > 0 ? others : all).slice(-4);
  }

  /** Returns the entities that a step refers to outside its path. */
  referencedBy(step: Step, env: ReadonlyMap<string, Entity>): Entity[] {
    const references = referencesOf(step);
    const pathEntities = new Set(env.values());
    return this.#session.entities.filter((entity) => {
      const { value } = entity;
      if (typeof value === 'string' || pathEntities.has(entity)) {
        return false;
      }
      return references.some(({ step: n, from }) => n === value.step && from === value.from);
    });
  }
}
