import type { Json } from '../../document.ts';
import { isObject } from '../../document.ts';
import type { Check } from '../checks/check.ts';
import { anonymous } from '../plan/names.ts';
import type { Caller, Plan, Step } from '../plan/plan.ts';
import type { Producer, Resources } from '../plan/resources.ts';
import type { Slot } from '../plan/slots.ts';
import type { Parts } from '../requests/requests.ts';
import type { SchemaSet } from '../schema/schema.ts';
import type { Exchange, Send } from '../wire/exchange.ts';
import { mayTouch } from './conduct.ts';
import type { Drawn } from './draw.ts';
import type { Entity } from './entity.ts';
import type { Event } from './event.ts';
import { jsonOf, pointed, referencesOf, renumber, resolveStep, valueAt } from './resolve.ts';
import { Watcher } from './watch.ts';

/** Shared context of the sessions of a run. */
export interface Ground {
  resources: Resources;
  schemas: SchemaSet;
  send: Send;
  /** Checks of single exchanges, without skipped ones. */
  checks: readonly Check[];
  /** Names of skipped checks. */
  leaveOut: ReadonlySet<string>;
  touchExisting: boolean;
  /** Called for every exchange in order. */
  note: (event: Event, session: Session) => void;
  /** Called for every created entity. */
  made: (entity: Entity, caller: Caller) => void;
}

/** Context of a step. */
export interface StepContext {
  /** The entities that its path names, and what they belong to, by noun. */
  env?: ReadonlyMap<string, Entity>;
  /** The entities that it names elsewhere. */
  uses?: readonly Entity[];
  /** Draw that the step was generated from. */
  drawn?: Drawn<Parts>;
  madeUp?: readonly string[];
}

/** Sequence of requests with the entities they created. Any subset of its events can be turned into a plan. */
export class Session {
  readonly ground: Ground;
  readonly events: Event[] = [];
  readonly entities: Entity[] = [];
  readonly #watcher: Watcher;

  constructor(ground: Ground) {
    this.ground = ground;
    this.#watcher = new Watcher(this);
  }

  readonly earlier = (step: number): Exchange | undefined => this.events[step]?.exchange;

  /**
   * Sends a step and checks the exchange.
   * @returns undefined for a step that would change entities that the run did not create
   * @throws {Unresolved} when an earlier response lacks a value that the step refers to, or its path lacks a value
   */
  async perform(step: Step, context: StepContext = {}): Promise<Event | undefined> {
    const { resources, touchExisting } = this.ground;
    const operation = resources.contract.operations.find(({ id }) => id === step.operation);
    if (!operation) {
      throw new Error(`The contract has no operation ${step.operation}: omit this plan.`);
    }
    const resolved = resolveStep(step, operation, this.earlier);
    if (!touchExisting && !mayTouch(this, step, operation, resolved.path)) {
      return undefined;
    }
    const exchange = await this.ground.send(resolved.request);
    const event: Event = {
      n: this.events.length,
      step,
      operation,
      sent: jsonOf(step, this.earlier),
      path: resolved.path,
      target: resolved.target,
      exchange,
      made: [],
      env: context.env ?? new Map(),
      uses: context.uses ?? [],
      failures: [],
      ...(context.drawn && { drawn: context.drawn }),
      madeUp: context.madeUp ?? [],
    };
    this.events.push(event);
    this.#judge(event);
    this.#recordCreated(event);
    event.failures.push(...this.#watcher.see(event));
    this.ground.note(event, this);
    return event;
  }

  /** Returns the shortest plan that contains some events: these, and those whose responses they need. */
  planOf(numbers: Iterable<number>, title: string): { plan: Plan; events: Event[] } {
    const needed = new Set<number>();
    const need = (n: number): void => {
      const event = this.events[n];
      if (!event || needed.has(n)) {
        return;
      }
      needed.add(n);
      for (const { step } of referencesOf(event.step)) {
        need(step);
      }
      for (const entity of [...event.env.values(), ...event.uses]) {
        if (named(event, entity)) {
          need(entity.maker);
        }
      }
    };
    for (const n of numbers) {
      need(n);
    }
    const order = [...needed].sort((a, b) => a - b);
    const events = order.flatMap((n) => this.events[n] ?? []);
    const steps = events.map(({ step }) => renumber(step, (n) => order.indexOf(n)));
    return { plan: { title, steps }, events };
  }

  #judge(event: Event): void {
    const { resources, schemas, checks } = this.ground;
    const { step, operation, exchange } = event;
    const moment = { contract: resources.contract, schemas, operation, step, exchange };
    for (const check of checks) {
      const fault = check.judge(moment);
      if (fault) {
        event.failures.push({ check: check.name, fault, at: event.n, involves: [] });
      }
    }
  }

  /** Records the entities that an event created. */
  #recordCreated(event: Event): void {
    const { operation, exchange } = event;
    if (!succeeded(event) || operation.method === 'GET') {
      return;
    }
    const method = event.step.fault?.method;
    if (method !== undefined && method !== operation.method) {
      return;
    }
    const usedNouns = new Set<string>();
    // Where one entity has several places, it is at home in the one that its maker's path leads to.
    const producers = this.ground.resources
      .createdBy(operation)
      .sort((a, b) => Number(isIndirect(a)) - Number(isIndirect(b)));
    for (const producer of producers) {
      if (usedNouns.has(producer.slot.noun)) {
        continue;
      }
      const entity = this.#thingOf(producer, event, exchange);
      if (!entity) {
        continue;
      }
      usedNouns.add(producer.slot.noun);
      const existing = this.entities.find(
        (candidate) => candidate.address !== undefined && candidate.address === entity.address,
      );
      if (existing) {
        existing.alive = true;
        continue;
      }
      this.ground.made(entity, event.step.caller);
      event.made.push(entity);
      // Entities created by other callers are not used further.
      if (event.step.caller === 'own') {
        this.entities.push(entity);
      }
    }
  }

  #thingOf({ slot, way, from }: Producer, event: Event, exchange: Exchange): Entity | undefined {
    if (way === 'choose') {
      const text = event.path[slot.parameter.name];
      const value = event.step.path[slot.parameter.name];
      return text === undefined || value === undefined
        ? undefined
        : this.adopt(slot, value, text, event, false);
    }
    for (const place of from) {
      if (place.startsWith('header:location') && !leadsTo(exchange.answer?.headers.location, slot)) {
        continue;
      }
      const text = this.#read(event.n, place);
      if (text !== undefined) {
        return this.adopt(slot, { step: event.n, from: place }, text, event, false);
      }
    }
    return undefined;
  }

  /** Reads a text from a response. */
  #read(step: number, from: string): string | undefined {
    try {
      const value = valueAt({ step, from }, this.earlier);
      return typeof value === 'string' ? value : JSON.stringify(value);
    } catch {
      return undefined;
    }
  }

  /** Makes an entity of a value that an event brought. */
  adopt(slot: Slot, value: Entity['value'], text: string, event: Event, found: boolean): Entity {
    const owners = new Map(event.env);
    if (!event.operation.path.includes(`{${slot.parameter.name}}`)) {
      owners.delete(slot.noun);
    }
    const texts = new Map([...owners].map(([noun, owner]) => [noun, owner.text]));
    for (const slotOfPath of this.ground.resources.slotsOf(event.operation)) {
      const pathText = event.path[slotOfPath.parameter.name];
      if (pathText !== undefined) {
        texts.set(slotOfPath.noun, pathText);
      }
    }
    texts.set(slot.noun, text);
    const filled = addressOf(slot, texts);
    return {
      slot,
      value,
      text,
      maker: event.n,
      madeAt: event.target,
      address: filled,
      owners,
      uses: event.uses,
      found,
      alive: true,
      altered: false,
      wear: 0,
    };
  }

  /** Adds the items of a list to a slot as discovered entities. */
  found(producer: Producer, event: Event, maxItems = 3): Entity[] {
    const entities: Entity[] = [];
    for (let item = 0; item < maxItems; item += 1) {
      for (const first of producer.from) {
        const from = first.replace('/0', `/${item}`);
        const text = this.#read(event.n, from);
        if (text === undefined) {
          continue;
        }
        entities.push(this.adopt(producer.slot, { step: event.n, from }, text, event, true));
        break;
      }
    }
    return entities;
  }
}

const isIndirect = ({ because }: Producer) =>
  because === 'the schema of its answer' || because === 'its name';

/** Returns whether an event's request succeeded. */
export function succeeded({ exchange }: Event): boolean {
  const status = exchange.answer?.status ?? 0;
  return status >= 200 && status < 300;
}

/** Returns the path of a slot's entity; undefined if a value is missing. */
function addressOf(slot: Slot, texts: ReadonlyMap<string, string>): string | undefined {
  let path = slot.path;
  for (const part of [...slot.owners, slot]) {
    const text = texts.get(part.noun);
    if (text === undefined) {
      return undefined;
    }
    path = path.replace(`{${part.parameter.name}}`, encodeURIComponent(text));
  }
  return path;
}

/** Returns whether a URL matches the path of a slot's entities. */
function leadsTo(location: string | undefined, slot: Slot): boolean {
  if (location === undefined || !URL.canParse(location, 'http://server/')) {
    return false;
  }
  const { pathname } = new URL(location, 'http://server/');
  const parts = anonymous(slot.path).split('/');
  // The server may have a path prefix.
  const segments = pathname.split('/').slice(-parts.length + 1);
  return (
    segments.length === parts.length - 1 &&
    parts.slice(1).every((part, at) => part.includes('{}') || part === segments[at])
  );
}

/** Returns whether a step names an entity itself, in its path or its body. */
function named({ step }: Event, { value }: Entity): boolean {
  if (typeof value !== 'string') {
    return false;
  }
  return Object.values(step.path).includes(value);
}

/** Returns the object at a JSON Pointer of a response. */
export function objectAt(json: Json | undefined, at: string) {
  const object = pointed(json, at);
  return isObject(object) ? object : undefined;
}
