import fc from 'fast-check';
import type { Operation } from '../../../model/contract/contract.ts';
import { anonymous } from '../../../model/plan/names.ts';
import type { Step, Value } from '../../../model/plan/plan.ts';
import type { Resources } from '../../../model/plan/resources.ts';
import { isPermanent, type Slot } from '../../../model/plan/slots.ts';
import { isVersionPrecondition } from '../../requests/identifier-fields.ts';
import type { FieldLocation, RequestInputs } from '../../requests/requests.ts';
import { referencesOf } from '../resolve.ts';
import type { Session } from '../session.ts';
import { type Entity, hasSameOwners, isForeign } from './entity.ts';
import type { SharedEntities } from './shared-entities.ts';

/** Location of the identifier of a resource in its own body. */
const OWN_ID_POINTER = /^(\/[^/]+)?\/id$/;

/** Number of changes before an entity is replaced, if it can be deleted. More would make failures hard to reproduce. */
const MAX_CHANGES = 40;

/** Finds the entities of a session that requests can use. */
export class EntityFinder {
  readonly #session: Session;
  readonly #resources: Resources;
  readonly #shared: SharedEntities;

  constructor(session: Session, resources: Resources, shared: SharedEntities) {
    this.#session = session;
    this.#resources = resources;
    this.#shared = shared;
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
        (isPermanent(entity.slot) ? !this.#shared.isReplaced(entity) : entity.changeCount < MAX_CHANGES) &&
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

  /** Returns the changed entity if a field of the body repeats its identifier: `/id`, or `/data/id` in an envelope. */
  own(
    { path, method }: Operation,
    location: FieldLocation,
    env: ReadonlyMap<string, Entity>,
  ): Entity | undefined {
    const { in: part, pointer } = location;
    if (part !== 'body' || !OWN_ID_POINTER.test(pointer) || !['PUT', 'PATCH'].includes(method)) {
      return undefined;
    }
    const slot = path.endsWith('}') ? this.#resources.slots.get(anonymous(path)) : undefined;
    return slot && env.get(slot.noun);
  }

  /** Returns a function that returns the identifiers of entities for a field. */
  valuesOf(
    operation: Operation,
    env: ReadonlyMap<string, Entity>,
    version?: Value,
  ): NonNullable<RequestInputs['values']> {
    return (location) => {
      if (isVersionPrecondition(location)) {
        return version === undefined ? undefined : fc.constant(version);
      }
      const own = this.own(operation, location, env);
      const entities = this.#resources.isPartParameter(operation, location)
        ? []
        : own
          ? [own]
          : this.identifiedBy(location, env);
      return entities.length === 0 ? undefined : fc.constantFrom(...entities.map(({ value }) => value));
    };
  }

  /** Returns whether an operation accepts an identifier that the client chooses. */
  choosesId(operation: Operation, slot: Slot): boolean {
    return (
      this.#resources
        .createdBy(operation)
        .some((producer) => producer.kind === 'choose' && producer.slot.key === slot.key) &&
      operation.method !== 'GET'
    );
  }
}
