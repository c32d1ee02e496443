import type fc from 'fast-check';
import type { Operation } from '../../model/contract/contract.ts';
import { anonymous } from '../../model/plan/names.ts';
import type { Step, Value } from '../../model/plan/plan.ts';
import type { Producer } from '../../model/plan/resources.ts';
import type { Slot } from '../../model/plan/slots.ts';
import { type Drawn, draw, seedOf } from '../../model/sample/draw.ts';
import { UnusableSchema } from '../../model/schema/schema.ts';
import { isVersionPrecondition } from '../requests/identifier-fields.ts';
import type { FieldLocation, OperationRequests, Parts, RequestInputs } from '../requests/requests.ts';
import { Unresolved } from '../wire/exchange.ts';
import type { SharedEntities } from './entities/shared-entities.ts';
import { type Entity, selectEntity, withoutNoun } from './entity.ts';
import { EntityFinder } from './entity-finder.ts';
import { type Event, succeeded } from './event.ts';
import type { RequestGenerators } from './request-generators.ts';
import { EXAMPLE, type RequestOptions } from './request-options.ts';
import type { Session } from './session.ts';
import { listedEntities } from './session-entities.ts';
import { stepOf } from './step.ts';

/** Entities for the path of a request, and values for its identifier fields. */
export interface PreparedRequest {
  env: Map<string, Entity>;
  inputs: RequestInputs;
}

/** Maximum number of failed attempts per source of entities. */
const MAX_ATTEMPTS = 2;

/** Creates the requests of a session and the entities that they refer to. */
export class RequestFactory {
  readonly session: Session;
  readonly #generators: RequestGenerators;
  readonly #shared: SharedEntities;
  readonly #entities: EntityFinder;
  readonly #name: string;
  readonly #failed = new Map<string, number>();
  #draws = 0;

  /** @param name distinguishes the draws of this factory from those of others */
  constructor(session: Session, generators: RequestGenerators, shared: SharedEntities, name: string) {
    this.session = session;
    this.#generators = generators;
    this.#shared = shared;
    this.#entities = new EntityFinder(session, generators.resources, shared);
    this.#name = name;
  }

  /**
   * Generates a request of an operation and sends it.
   * @returns undefined if no request can be generated, or none that changes only entities of the run
   */
  async request(operation: Operation, options: RequestOptions = {}): Promise<Event | undefined> {
    const prepared = await this.prepare(operation, options);
    const requests = this.#generators.of(operation);
    const draw = this.#draw(() => (options.parts ?? minimal)(requests, prepared.inputs), operation);
    return draw && (await this.send(operation, draw, prepared.env, options));
  }

  /**
   * Sends several requests of an operation on the same entities, as long as these exist.
   *
   * @param choose returns the parts to draw from, one arbitrary per request
   * @param includeOptional whether to create entities for optional identifier fields, too
   */
  async *requests(
    operation: Operation,
    choose: (requests: OperationRequests, inputs: RequestInputs) => fc.Arbitrary<Parts>[],
    includeOptional: boolean,
  ): AsyncGenerator<Event> {
    const { env, inputs } = await this.prepare(operation, { includeOptional });
    for (const parts of choose(this.#generators.of(operation), inputs)) {
      const draw = this.#draw(() => parts, operation);
      const event = draw && (await this.send(operation, draw, env));
      if (event) {
        yield event;
      }
      if ([...env.values()].some(({ exists }) => !exists)) {
        return;
      }
    }
  }

  /** Sends a minimal request of an operation to a path, whether or not its entities still exist. */
  async repeat(
    operation: Operation,
    path: Record<string, Value>,
    env: ReadonlyMap<string, Entity>,
  ): Promise<Event | undefined> {
    const values = this.#entities.valuesOf(operation, env);
    const drawn = this.#draw(() => minimal(this.#generators.of(operation), { path, values }), operation);
    return drawn && (await this.send(operation, drawn, env));
  }

  /** Sends a request with drawn parts. */
  async send(
    operation: Operation,
    draw: Drawn<Parts>,
    env: ReadonlyMap<string, Entity>,
    { caller = 'own', fault, isNeeded = false }: RequestOptions = {},
  ): Promise<Event | undefined> {
    if (!isNeeded && !fault && !draw.value.fault && this.#shared.isExhausted(operation)) {
      return undefined;
    }
    const step: Step = { ...stepOf(operation, draw.value, caller), ...(fault && { fault }) };
    const uses = this.#entities.referencedBy(step, env);
    try {
      const { inventedFields } = draw.value;
      const event = await this.session.perform(step, { env, uses, draw, inventedFields });
      for (const entity of event?.created ?? []) {
        this.#shared.record(this.session, entity);
      }
      return event;
    } catch (error) {
      // The checks of the earlier response report the missing value.
      if (error instanceof Unresolved) {
        return undefined;
      }
      throw error;
    }
  }

  /** Ensures that there are entities for all identifiers in a request of an operation. */
  async prepare(operation: Operation, options: RequestOptions = {}): Promise<PreparedRequest> {
    const { resources } = this.#generators;
    const pendingOperations = [...(options.pendingOperations ?? []), operation.id];
    const env = new Map(options.env);
    const path: Record<string, Value> = {};
    // Existing entities may be read.
    const includeExisting = operation.method === 'GET' || this.session.context.touchExisting;
    for (const { slot, name } of resources.pathSlotsOf(operation)) {
      if (this.#entities.choosesId(operation, slot)) {
        continue;
      }
      const selected = env.get(slot.noun);
      const entity =
        (selected?.exists ? selected : undefined) ??
        (options.isOfExisting ? await this.#listed(slot, env, pendingOperations) : undefined) ??
        (await this.ensure(slot, env, pendingOperations, includeExisting));
      if (!entity) {
        continue;
      }
      selectEntity(env, entity);
      path[name] = entity.value;
    }
    for (const location of this.#identifierFields(operation, path, options.includeOptional ?? false)) {
      if (options.isDistinct) {
        await this.#ensureOther(location, env, pendingOperations);
      }
      if (
        resources.isPartParameter(operation, location) ||
        this.#entities.own(operation, location, env) ||
        this.#entities.identifiedBy(location, env).length > 0
      ) {
        continue;
      }
      const [slot] = resources.slotsNamed(location.name);
      if (slot && !env.has(slot.noun)) {
        await this.ensure(slot, env, pendingOperations);
      }
    }
    const version = await this.#versionOf(operation, env, pendingOperations);
    return { env, inputs: { path, values: this.#entities.valuesOf(operation, env, version) } };
  }

  /** Reads the version of the resource that an operation changes, if it has a precondition for it. */
  async #versionOf(
    operation: Operation,
    env: ReadonlyMap<string, Entity>,
    pendingOperations: readonly string[],
  ): Promise<Value | undefined> {
    const { contract } = this.#generators.resources;
    const read = contract.operations.find(
      ({ method, path }) => method === 'GET' && anonymous(path) === anonymous(operation.path),
    );
    if (!read || operation.method === 'GET' || !operation.parameters.some(isVersionPrecondition)) {
      return undefined;
    }
    const event = await this.request(read, { env, pendingOperations });
    return event && event.exchange.response?.headers.etag !== undefined
      ? { step: event.n, from: 'header:etag' }
      : undefined;
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
    const existing = this.#entities.pick(slot, env, includeExisting);
    if (existing) {
      return existing;
    }
    const shared = this.#shared.eventsOf(slot, env);
    if (shared) {
      this.session.adopt(shared);
      const adopted = this.#entities.pick(slot, env, includeExisting);
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
  async #listed(
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
  async #ensureOther(
    location: FieldLocation,
    env: ReadonlyMap<string, Entity>,
    pendingOperations: readonly string[],
  ): Promise<void> {
    const { resources, untestable } = this.#generators;
    const slot = resources.slotsNamed(location.name).find(({ noun }) => env.has(noun));
    const selected = new Set(env.values());
    const exists = () => this.#entities.identifiedBy(location, env).some((entity) => !selected.has(entity));
    if (!slot || exists()) {
      return;
    }
    const others = withoutNoun(env, slot.noun);
    this.session.adopt(this.#shared.eventsOf(slot, others, env.get(slot.noun)) ?? []);
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
    const minimal = await this.request(operation, needed);
    // A rule that the contract does not express may require more than the required fields.
    const event =
      minimal && isRejected(minimal) ? await this.request(operation, { ...EXAMPLE, ...needed }) : minimal;
    if (!event || !succeeded(event)) {
      return undefined;
    }
    if (producer.kind !== 'list') {
      return event.created.find((entity) => entity.slot.noun === slot.noun);
    }
    const [first] = listedEntities(this.session, { ...producer, slot }, event);
    if (!first) {
      return undefined;
    }
    this.session.entities.push(first);
    return first;
  }

  /** Returns the identifier fields of a request: all of them, or the required ones. */
  #identifierFields(
    operation: Operation,
    path: Record<string, Value>,
    includeOptional: boolean,
  ): FieldLocation[] {
    const fields: FieldLocation[] = [];
    const requests = this.#generators.of(operation);
    const note = (location: FieldLocation) => {
      fields.push(location);
      return undefined;
    };
    const draw = this.#draw(
      () => (includeOptional ? requests.valid : requests.minimal).call(requests, { path, values: note }),
      operation,
    );
    if (!draw || includeOptional) {
      return fields;
    }
    const inventedFields = new Set(draw.value.inventedFields);
    return fields.filter((location) =>
      location.in === 'body'
        ? [...inventedFields].some((candidate) => matches(candidate, location.pointer))
        : inventedFields.has(`${location.in} ${location.name}`),
    );
  }

  /** Allows further attempts to find entities, after a request that may have created some. */
  retryFailed(): void {
    this.#failed.clear();
  }

  #draw(from: () => fc.Arbitrary<Parts>, operation: Operation): Drawn<Parts> | undefined {
    this.#draws += 1;
    try {
      return draw(from(), seedOf(this.#generators.seed, `${this.#name} ${operation.id} ${this.#draws}`))[0];
    } catch (error) {
      if (!(error instanceof UnusableSchema)) {
        throw error;
      }
      this.#generators.untestable.set(operation.id, error.message);
      return undefined;
    }
  }
}

const minimal = (requests: OperationRequests, inputs: RequestInputs) => requests.minimal(inputs);

/** Returns whether a server rejected the values of a request, which others may replace. */
const isRejected = ({ exchange }: Event): boolean => [400, 409, 422].includes(exchange.response?.status ?? 0);

/** Returns whether an invented field (`body /teams/0`) matches a pointer with `*` for any item. */
function matches(inventedField: string, pointer: string): boolean {
  const segments = inventedField.replace(/^body /, '').split('/');
  const parts = pointer.split('/');
  return segments.length === parts.length && parts.every((part, at) => part === '*' || part === segments[at]);
}
