import type { Operation } from '../../../model/contract/contract.ts';
import type { Producer } from '../../../model/plan/resources.ts';
import type { Slot } from '../../../model/plan/slots.ts';
import type { FieldLocation } from '../../requests/requests.ts';
import { type Event, succeeded } from '../event.ts';
import type { RequestGenerators } from '../request-generators.ts';
import { EXAMPLE, type RequestOptions } from '../request-options.ts';
import type { Session } from '../session.ts';
import { type Entity, withoutNoun } from './entity.ts';
import type { EntityFinder } from './entity-finder.ts';
import { listedEntities } from './session-entities.ts';
import type { SharedEntities } from './shared-entities.ts';

/** Maximum number of failed attempts per source of entities. */
const MAX_ATTEMPTS = 2;

/** What provides the entities of a session. */
export interface EntitySources {
  session: Session;
  generators: RequestGenerators;
  shared: SharedEntities;
  finder: EntityFinder;
  /** Sends a request that creates or lists entities. */
  request: (operation: Operation, options: RequestOptions) => Promise<Event | undefined>;
}

/** Provides the entities that the requests of a session refer to: existing, shared, listed or created ones. */
export class EntityProvider {
  readonly #session: Session;
  readonly #generators: RequestGenerators;
  readonly #shared: SharedEntities;
  readonly #finder: EntityFinder;
  readonly #request: EntitySources['request'];
  /** Number of failed attempts by source. */
  readonly #failed = new Map<string, number>();

  constructor({ session, generators, shared, finder, request }: EntitySources) {
    this.#session = session;
    this.#generators = generators;
    this.#shared = shared;
    this.#finder = finder;
    this.#request = request;
  }

  /**
   * Returns an existing or new entity of a slot that has the same owners as the selected entities.
   * @param includeExisting whether the entity may have existed before the run
   */
  async ensure(
    slot: Slot,
    env: ReadonlyMap<string, Entity>,
    pendingOperations: readonly string[] = [],
    includeExisting = false,
  ): Promise<Entity | undefined> {
    const existing = this.#finder.pick(slot, env, includeExisting);
    if (existing) {
      return existing;
    }
    const shared = this.#shared.eventsOf(slot, env);
    if (shared) {
      this.#session.adopt(shared);
      const adopted = this.#finder.pick(slot, env, includeExisting);
      if (adopted) {
        return adopted;
      }
    }
    if (pendingOperations.length > 12) {
      return undefined;
    }
    for (const producer of this.#generators.resources.producersOf(slot)) {
      const { operation } = producer;
      const key = `${operation.id} ${slot.key}`;
      if (pendingOperations.includes(operation.id) || this.#generators.untestable.has(operation.id)) {
        continue;
      }
      if ((this.#failed.get(key) ?? 0) >= MAX_ATTEMPTS) {
        continue;
      }
      const isForAll = producer.kind === 'list' && this.#generators.resources.slotsOf(operation).length === 0;
      if (isForAll && !includeExisting) {
        continue;
      }
      const entity = await this.#produce(producer, slot, env, pendingOperations);
      if (entity) {
        return entity;
      }
      this.#failed.set(key, (this.#failed.get(key) ?? 0) + 1);
    }
    return undefined;
  }

  /** Returns the first entity of a list, which may have existed before the run. */
  async listed(
    slot: Slot,
    env: ReadonlyMap<string, Entity>,
    pendingOperations: readonly string[],
  ): Promise<Entity | undefined> {
    const { resources, untestable } = this.#generators;
    const list = resources
      .producersOf(slot)
      .find(({ kind, operation: { id } }) => kind === 'list' && !untestable.has(id));
    return list && (await this.#produce(list, slot, env, pendingOperations));
  }

  /** Ensures that there is another entity for a field if the only one that it can identify is in the path. */
  async ensureOther(
    location: FieldLocation,
    env: ReadonlyMap<string, Entity>,
    pendingOperations: readonly string[],
  ): Promise<void> {
    const { resources, untestable } = this.#generators;
    const slot = resources.slotsNamed(location.name).find(({ noun }) => env.has(noun));
    const selected = new Set(env.values());
    const exists = () => this.#finder.identifiedBy(location, env).some((entity) => !selected.has(entity));
    if (!slot || exists()) {
      return;
    }
    const others = withoutNoun(env, slot.noun);
    this.#session.adopt(this.#shared.eventsOf(slot, others, env.get(slot.noun)) ?? []);
    if (exists()) {
      return;
    }
    const creator = resources
      .producersOf(slot)
      .find(
        ({ kind, operation: { id } }) =>
          kind === 'create' && !pendingOperations.includes(id) && !untestable.has(id),
      );
    if (creator) {
      await this.#produce(creator, slot, others, pendingOperations);
    }
  }

  async #produce(
    producer: Producer,
    slot: Slot,
    env: ReadonlyMap<string, Entity>,
    pendingOperations: readonly string[],
  ): Promise<Entity | undefined> {
    const { operation } = producer;
    const needed: RequestOptions = { env: withoutNoun(env, slot.noun), pendingOperations, isNeeded: true };
    const minimal = await this.#request(operation, needed);
    // A rule that the contract does not express may require more than the required fields.
    const event =
      minimal && isRejected(minimal) ? await this.#request(operation, { ...EXAMPLE, ...needed }) : minimal;
    if (!event || !succeeded(event)) {
      return undefined;
    }
    if (producer.kind !== 'list') {
      return event.created.find((entity) => entity.slot.noun === slot.noun);
    }
    const [first] = listedEntities(this.#session, { ...producer, slot }, event);
    if (!first) {
      return undefined;
    }
    this.#session.entities.push(first);
    return first;
  }

  /** Allows further attempts to find entities, after a request that may have created some. */
  retryFailed(): void {
    this.#failed.clear();
  }
}

/** Returns whether a server rejected the values of a request, which others may replace. */
const isRejected = ({ exchange }: Event): boolean => [400, 409, 422].includes(exchange.response?.status ?? 0);
