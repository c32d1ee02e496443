import fc from 'fast-check';
import type { Operation } from '../contract/contract.ts';
import type { Caller, Fault, Step, Value } from '../plan/plan.ts';
import type { Producer, Resources } from '../plan/resources.ts';
import type { Slot } from '../plan/slots.ts';
import {
  type FieldLocation,
  OperationRequests,
  type Parts,
  type RequestInputs,
} from '../requests/requests.ts';
import { SchemaArbitraries } from '../schema/arbitraries.ts';
import { type SchemaSet, UnusableSchema } from '../schema/schema.ts';
import { Unresolved } from '../wire/exchange.ts';
import { type Drawn, draw, seedOf, stepOf } from './draw.ts';
import { choose, type Entity, fits, isForeign } from './entity.ts';
import type { Event } from './event.ts';
import { referencesOf } from './resolve.ts';
import { type Session, succeeded } from './session.ts';

/** Shared request generators of the sessions of a run. */
export class Makers {
  readonly resources: Resources;
  readonly seed: number;
  /** Operations that are not tested, with the reason. */
  readonly leftAlone = new Map<string, string>();
  readonly #make: SchemaArbitraries;
  readonly #requests = new Map<Operation, OperationRequests>();

  constructor(resources: Resources, schemas: SchemaSet, seed: number) {
    this.resources = resources;
    this.seed = seed;
    this.#make = new SchemaArbitraries(schemas);
  }

  of(operation: Operation): OperationRequests {
    let requests = this.#requests.get(operation);
    if (!requests) {
      requests = new OperationRequests(this.resources.contract, operation, this.#make);
      this.#requests.set(operation, requests);
    }
    return requests;
  }
}

/** What a request is made with: known entities for its path, and for places that name something. */
export interface Prepared {
  env: Map<string, Entity>;
  inputs: RequestInputs;
}

/** Deviations of a request from the minimal valid one. */
export interface Manner {
  /** Selected entities by noun. */
  env?: ReadonlyMap<string, Entity>;
  /** Parts to draw instead of the minimal ones. */
  parts?: (requests: OperationRequests, inputs: RequestInputs) => fc.Arbitrary<Parts>;
  caller?: Caller;
  fault?: Fault;
  /** Whether to have entities for places that may be left out, too. */
  ample?: boolean;
  /** Operations that are being prepared, which cannot be what they need themselves. */
  building?: readonly string[];
}

/** Number of changes after which an entity is replaced. More would make failures hard to reproduce. */
const MAX_CHANGES = 40;
/** Maximum number of failed attempts per source of entities. */
const MAX_ATTEMPTS = 2;

/** Creates the requests of a session and the entities that they refer to. */
export class Supply {
  readonly session: Session;
  readonly #makers: Makers;
  readonly #name: string;
  readonly #failed = new Map<string, number>();
  #draws = 0;

  /** @param name distinguishes the draws of this supply from those of others */
  constructor(session: Session, makers: Makers, name: string) {
    this.session = session;
    this.#makers = makers;
    this.#name = name;
  }

  /**
   * Generates a request of an operation and sends it.
   * @returns undefined if no request can be generated, or none that changes only entities of the run
   */
  async request(operation: Operation, manner: Manner = {}): Promise<Event | undefined> {
    const prepared = await this.prepare(operation, manner);
    const requests = this.#makers.of(operation);
    const drawn = this.#draw(() => (manner.parts ?? least)(requests, prepared.inputs), operation);
    return drawn && (await this.send(operation, drawn, prepared.env, manner));
  }

  /**
   * Makes several requests of an operation on the same entities, for as long as these are there.
   *
   * @param choose what is drawn of each
   * @param ample whether to have entities for places that may be left out, too
   */
  async *requests(
    operation: Operation,
    choose: (requests: OperationRequests, inputs: RequestInputs) => fc.Arbitrary<Parts>[],
    ample: boolean,
  ): AsyncGenerator<Event> {
    const { env, inputs } = await this.prepare(operation, { ample });
    for (const parts of choose(this.#makers.of(operation), inputs)) {
      const drawn = this.#draw(() => parts, operation);
      const event = drawn && (await this.send(operation, drawn, env));
      if (event) {
        yield event;
      }
      if ([...env.values()].some(({ alive }) => !alive)) {
        return;
      }
    }
  }

  /** Sends a request with drawn parts. */
  async send(
    operation: Operation,
    drawn: Drawn<Parts>,
    env: ReadonlyMap<string, Entity>,
    { caller = 'own', fault }: Manner = {},
  ): Promise<Event | undefined> {
    const step: Step = { ...stepOf(operation, drawn.value, caller), ...(fault && { fault }) };
    const uses = this.#named(step, env);
    try {
      return await this.session.perform(step, { env, uses, drawn, madeUp: drawn.value.madeUp });
    } catch (error) {
      // The checks of the earlier response report the missing value.
      if (error instanceof Unresolved) {
        return undefined;
      }
      throw error;
    }
  }

  /** Has entities for all that a request of an operation names. */
  async prepare(operation: Operation, manner: Manner = {}): Promise<Prepared> {
    const { resources } = this.#makers;
    const building = [...(manner.building ?? []), operation.id];
    const env = new Map(manner.env);
    const path: Record<string, Value> = {};
    // Existing entities may be read.
    const looks = operation.method === 'GET' || this.session.ground.touchExisting;
    for (const slot of resources.slotsOf(operation)) {
      if (this.#choosesId(operation, slot)) {
        continue;
      }
      const chosen = env.get(slot.noun);
      const entity = chosen?.alive ? chosen : await this.ensure(slot, env, building, looks);
      if (!entity) {
        continue;
      }
      choose(env, entity);
      path[slot.parameter.name] = entity.value;
    }
    for (const location of this.#places(operation, path, manner.ample ?? false)) {
      if (resources.asksForPart(operation, location) || this.#entities(location, env).length > 0) {
        continue;
      }
      const [slot] = resources.slotsNamed(location.name);
      if (slot && !env.has(slot.noun)) {
        await this.ensure(slot, env, building);
      }
    }
    const values = (location: FieldLocation) => {
      const entities = resources.asksForPart(operation, location) ? [] : this.#entities(location, env);
      return entities.length === 0 ? undefined : fc.constantFrom(...entities.map(({ value }) => value));
    };
    return { env, inputs: { path, values } };
  }

  /**
   * Returns an existing or new entity of a slot that has the same owners as the selected entities.
   * @param looks whether the entity may have existed before the run
   */
  async ensure(
    slot: Slot,
    env: ReadonlyMap<string, Entity>,
    building: readonly string[] = [],
    looks = false,
  ): Promise<Entity | undefined> {
    const existing = this.pick(slot, env, looks);
    if (existing) {
      return existing;
    }
    if (building.length > 12) {
      return undefined;
    }
    for (const producer of this.#makers.resources.producersOf(slot)) {
      const { operation } = producer;
      const key = `${operation.id} ${slot.key}`;
      if (building.includes(operation.id) || this.#makers.leftAlone.has(operation.id)) {
        continue;
      }
      if ((this.#failed.get(key) ?? 0) >= MAX_ATTEMPTS) {
        continue;
      }
      const isForAll = producer.way === 'list' && this.#makers.resources.slotsOf(operation).length === 0;
      if (isForAll && !looks) {
        continue;
      }
      const entity = await this.#produce(producer, slot, env, building);
      if (entity) {
        return entity;
      }
      this.#failed.set(key, (this.#failed.get(key) ?? 0) + 1);
    }
    return undefined;
  }

  /** Returns the newest entity of a slot that has the same owners as the selected entities. */
  pick(slot: Slot, env: ReadonlyMap<string, Entity>, looks = false): Entity | undefined {
    const producers = this.#makers.resources
      .producersOf(slot)
      .filter((candidate) => candidate.slot.key === slot.key);
    const makes = producers.filter(({ way }) => way !== 'list');
    const suits = (entity: Entity) => {
      if (entity.slot.key === slot.key || makes.length === 0) {
        return true;
      }
      const maker = this.session.events[entity.maker]?.operation;
      const owned = slot.owners.every(({ noun }) => entity.owners.has(noun));
      return owned && makes.some(({ operation }) => operation === maker);
    };
    return this.session.entities.findLast(
      (entity) =>
        entity.alive &&
        (looks || !isForeign(entity)) &&
        entity.wear < MAX_CHANGES &&
        entity.slot.noun === slot.noun &&
        fits(entity, env) &&
        suits(entity),
    );
  }

  async #produce(
    producer: Producer,
    slot: Slot,
    env: ReadonlyMap<string, Entity>,
    building: readonly string[],
  ): Promise<Entity | undefined> {
    const { operation } = producer;
    const context = new Map(env);
    context.delete(slot.noun);
    const event = await this.request(operation, { env: context, building });
    if (!event || !succeeded(event)) {
      return undefined;
    }
    if (producer.way !== 'list') {
      return event.made.find((entity) => entity.slot.noun === slot.noun);
    }
    const [first] = this.session.found({ ...producer, slot }, event);
    if (!first) {
      return undefined;
    }
    this.session.entities.push(first);
    return first;
  }

  #choosesId(operation: Operation, slot: Slot): boolean {
    return (
      this.#makers.resources
        .createdBy(operation)
        .some((producer) => producer.way === 'choose' && producer.slot.key === slot.key) &&
      operation.method !== 'GET'
    );
  }

  /** Returns the identifier fields of a request: all of them, or the required ones. */
  #places(operation: Operation, path: Record<string, Value>, ample: boolean): FieldLocation[] {
    const seen: FieldLocation[] = [];
    const requests = this.#makers.of(operation);
    const note = (location: FieldLocation) => {
      seen.push(location);
      return undefined;
    };
    const drawn = this.#draw(
      () => (ample ? requests.good : requests.least).call(requests, { path, values: note }),
      operation,
    );
    if (!drawn || ample) {
      return seen;
    }
    const needed = new Set(drawn.value.madeUp);
    return seen.filter((location) =>
      location.in === 'body'
        ? [...needed].some((candidate) => matches(candidate, location.pointer))
        : needed.has(`${location.in} ${location.name}`),
    );
  }

  /** Returns the entities that a field can identify, with the same owners. */
  #entities({ name }: FieldLocation, env: ReadonlyMap<string, Entity>): Entity[] {
    const nouns = new Set(this.#makers.resources.slotsNamed(name).map(({ noun }) => noun));
    const along = new Set(env.values());
    const all = this.session.entities.filter(
      (entity) => entity.alive && !isForeign(entity) && nouns.has(entity.slot.noun) && fits(entity, env),
    );
    const others = all.filter((entity) => !along.has(entity));
    return (others.length > 0 ? others : all).slice(-4);
  }

  #named(step: Step, env: ReadonlyMap<string, Entity>): Entity[] {
    const references = referencesOf(step);
    const along = new Set(env.values());
    return this.session.entities.filter((entity) => {
      const { value } = entity;
      if (typeof value === 'string' || along.has(entity)) {
        return false;
      }
      return references.some(({ step: n, from }) => n === value.step && from === value.from);
    });
  }

  #draw(from: () => fc.Arbitrary<Parts>, operation: Operation): Drawn<Parts> | undefined {
    this.#draws += 1;
    try {
      return draw(from(), seedOf(this.#makers.seed, `${this.#name} ${operation.id} ${this.#draws}`))[0];
    } catch (error) {
      if (!(error instanceof UnusableSchema)) {
        throw error;
      }
      this.#makers.leftAlone.set(operation.id, error.message);
      return undefined;
    }
  }
}

const least = (requests: OperationRequests, inputs: RequestInputs) => requests.least(inputs);

/** Returns whether an invented field (`body /teams/0`) matches a pointer with `*` for any item. */
function matches(madeUp: string, pointer: string): boolean {
  const inputs = madeUp.replace(/^body /, '').split('/');
  const parts = pointer.split('/');
  return inputs.length === parts.length && parts.every((part, at) => part === '*' || part === inputs[at]);
}
