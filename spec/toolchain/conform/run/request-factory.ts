import type fc from 'fast-check';
import type { Operation } from '../../model/contract/contract.ts';
import { anonymous } from '../../model/plan/names.ts';
import type { Step, Value } from '../../model/plan/plan.ts';
import { type Drawn, draw, seedOf } from '../../model/sample/draw.ts';
import { UnusableSchema } from '../../model/schema/schema.ts';
import { isVersionPrecondition } from '../requests/identifier-fields.ts';
import type { FieldLocation, OperationRequests, Parts, RequestInputs } from '../requests/requests.ts';
import { Unresolved } from '../wire/exchange.ts';
import { type Entity, selectEntity } from './entities/entity.ts';
import { EntityFinder } from './entities/entity-finder.ts';
import { EntityProvider } from './entities/entity-provider.ts';
import { isValueOf } from './entities/session-entities.ts';
import type { SharedEntities } from './entities/shared-entities.ts';
import type { Event } from './event.ts';
import type { RequestGenerators } from './request-generators.ts';
import type { RequestOptions } from './request-options.ts';
import type { Session } from './session.ts';
import { stepOf } from './step.ts';

/** Entities for the path of a request, and values for its identifier fields. */
export interface PreparedRequest {
  env: Map<string, Entity>;
  inputs: RequestInputs;
}

/** Creates the requests of a session. */
export class RequestFactory {
  readonly session: Session;
  readonly entities: EntityProvider;
  readonly #generators: RequestGenerators;
  readonly #shared: SharedEntities;
  readonly #finder: EntityFinder;
  readonly #name: string;
  #draws = 0;

  /** @param name distinguishes the draws of this factory from those of others */
  constructor(session: Session, generators: RequestGenerators, shared: SharedEntities, name: string) {
    this.session = session;
    this.#generators = generators;
    this.#shared = shared;
    this.#finder = new EntityFinder(session, generators.resources, shared);
    const request: RequestFactory['request'] = (operation, options) => this.request(operation, options);
    this.entities = new EntityProvider({ session, generators, shared, finder: this.#finder, request });
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
    const values = this.#finder.valuesOf(operation, env);
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
    const uses = this.#finder.referencedBy(step, env);
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
      if (this.#finder.choosesId(operation, slot)) {
        continue;
      }
      const selected = env.get(slot.noun);
      const entity =
        (selected?.exists ? selected : undefined) ??
        (options.isOfExisting ? await this.entities.listed(slot, env, pendingOperations) : undefined) ??
        (await this.entities.ensure(slot, env, pendingOperations, includeExisting));
      // The path of this operation may permit only some values, or other ones: `/templates/{scope}` beside `/templates/{id}`.
      const parameter = operation.parameters.find((each) => each.in === 'path' && each.name === name);
      if (!entity || (parameter && !isValueOf(this.session.context.schemas, parameter, entity.text))) {
        continue;
      }
      selectEntity(env, entity);
      path[name] = entity.value;
    }
    for (const location of this.#identifierFields(operation, path, options.includeOptional ?? false)) {
      if (options.isDistinct) {
        await this.entities.ensureOther(location, env, pendingOperations);
      }
      if (
        resources.isPartParameter(operation, location) ||
        this.#finder.own(operation, location, env) ||
        this.#finder.identifiedBy(location, env).length > 0
      ) {
        continue;
      }
      const [slot] = resources.slotsNamed(location.name);
      if (slot && !env.has(slot.noun)) {
        await this.entities.ensure(slot, env, pendingOperations);
      }
    }
    const version = await this.#versionOf(operation, env, pendingOperations);
    return { env, inputs: { path, values: this.#finder.valuesOf(operation, env, version) } };
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

/** Returns whether an invented field (`body /teams/0`) matches a pointer with `*` for any item. */
function matches(inventedField: string, pointer: string): boolean {
  const segments = inventedField.replace(/^body /, '').split('/');
  const parts = pointer.split('/');
  return segments.length === parts.length && parts.every((part, at) => part === '*' || part === segments[at]);
}
