import type { Operation } from '../../../model/contract/contract.ts';
import type { Resources } from '../../../model/plan/resources.ts';
import { isPermanent, type Slot } from '../../../model/plan/slots.ts';
import { type Event, succeeded } from '../event.ts';
import type { Session } from '../session.ts';
import { type Entity, hasSameOwners, withPathOwners } from './entity.ts';

/** Number of valid requests before an operation with permanent results is called only if necessary. */
const MAX_PERMANENT_CREATIONS = 2;
/** Number of consecutive rejections before an entity is replaced: a request may have revoked access to it. */
const MAX_REJECTIONS = 20;

interface SharedEntity {
  entity: Entity;
  /** Events of the session that created it, which other sessions adopt. */
  events: readonly Event[];
  /** Number of times that the server had stopped. */
  stops: number;
  rejections: number;
}

/**
 * Entities that no operation deletes, nor one that contains them. The sessions of a run share them, so that it leaves
 * few behind.
 */
export class SharedEntities {
  readonly #resources: Resources;
  readonly #stops: () => number;
  #shared: SharedEntity[] = [];
  /** Addresses of the entities that were replaced. */
  readonly #replaced = new Set<string>();
  /** Number of creations by operation. */
  readonly #creations = new Map<string, number>();

  /** @param stops returns the number of times that the server stopped */
  constructor(resources: Resources, stops: () => number) {
    this.#resources = resources;
    this.#stops = stops;
  }

  /** Records a created entity, so that later sessions can use it. */
  record(session: Session, entity: Entity): void {
    const { events } = session.planOf([entity.sourceEvent], '');
    const isCreated = events.every(
      ({ operation, step }) => operation.method !== 'GET' && step.caller === 'own' && !step.fault,
    );
    if (!entity.isShared && isCreated && isPermanent(entity.slot)) {
      this.#shared.push({ entity, events, stops: this.#stops(), rejections: 0 });
    }
  }

  /**
   * Returns the events that created a shared entity of a slot with the same owners as the selected entities.
   * @param other entity that is not the one to return
   */
  eventsOf(slot: Slot, env: ReadonlyMap<string, Entity>, other?: Entity): readonly Event[] | undefined {
    return this.#shared.findLast(
      ({ entity, stops }) =>
        stops === this.#stops() &&
        entity.slot.key === slot.key &&
        entity.address !== other?.address &&
        hasSameOwners(withPathOwners(entity), env),
    )?.events;
  }

  /** Returns whether an entity was replaced, because the caller can no longer use it. */
  isReplaced({ address }: Entity): boolean {
    return address !== undefined && this.#replaced.has(address);
  }

  /** Counts creations, and replaces entities that the caller can no longer use. */
  observe(event: Event): void {
    const { operation, step, env, exchange, inventedFields } = event;
    if (succeeded(event) && this.createsPermanent(operation)) {
      this.#creations.set(operation.id, (this.#creations.get(operation.id) ?? 0) + 1);
    }
    if (step.caller !== 'own' || step.fault || inventedFields.length > 0) {
      return;
    }
    const isRejected = [403, 404].includes(exchange.response?.status ?? 0);
    // Other entities in the path may be the ones that do not exist.
    const last = this.#resources.slotsOf(operation).at(-1);
    const used = last && env.get(last.noun);
    for (const shared of this.#shared.filter(({ entity }) => used?.address === entity.address)) {
      shared.rejections = isRejected ? shared.rejections + 1 : 0;
      if (shared.rejections >= MAX_REJECTIONS && shared.entity.address !== undefined) {
        this.#replaced.add(shared.entity.address);
      }
    }
    this.#shared = this.#shared.filter(({ entity }) => !this.isReplaced(entity));
  }

  /** Returns whether an operation creates entities that cannot be deleted. */
  createsPermanent(operation: Operation): boolean {
    const created = this.#resources.createdBy(operation);
    return created.length > 0 && created.every(({ slot }) => isPermanent(slot));
  }

  /** Returns whether an operation created enough entities that cannot be deleted. */
  isExhausted({ id }: Operation): boolean {
    return (this.#creations.get(id) ?? 0) >= MAX_PERMANENT_CREATIONS;
  }

  /** Returns the limitation of each operation that was not tested further. */
  limitations(): string[] {
    return this.#resources.contract.operations
      .filter((operation) => this.isExhausted(operation))
      .map(
        ({ id }) =>
          `${id}: more than ${MAX_PERMANENT_CREATIONS} valid requests, as nothing deletes the results`,
      );
  }
}
