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
import type { Drawn } from './draw.ts';
import type { Entity } from './entity.ts';
import type { Event } from './event.ts';
import { jsonOf, pointed, referencesOf, renumber, resolveStep, valueAt } from './resolve.ts';
import { isAllowed } from './safety.ts';
import { SessionChecker } from './session-checker.ts';

/** Shared context of the sessions of a run. */
export interface SessionContext {
  resources: Resources;
  schemas: SchemaSet;
  send: Send;
  /** Checks of single exchanges, without skipped ones. */
  checks: readonly Check[];
  /** Names of skipped checks. */
  excludedChecks: ReadonlySet<string>;
  modifyExisting: boolean;
  /** Called for every exchange in order. */
  onEvent: (event: Event, session: Session) => void;
  /** Called for every created entity. */
  onCreated: (entity: Entity, caller: Caller) => void;
}

/** Context of a step. */
export interface StepContext {
  /** The entities in its path and their owners, by noun. */
  env?: ReadonlyMap<string, Entity>;
  /** The entities in its query, headers and body. */
  uses?: readonly Entity[];
  /** Draw that the step was generated from. */
  draw?: Drawn<Parts>;
  inventedFields?: readonly string[];
}

/** Sequence of requests with the entities they created. Any subset of its events can be turned into a plan. */
export class Session {
  readonly context: SessionContext;
  readonly events: Event[] = [];
  readonly entities: Entity[] = [];
  readonly #checker: SessionChecker;

  constructor(context: SessionContext) {
    this.context = context;
    this.#checker = new SessionChecker(this);
  }

  readonly earlier = (step: number): Exchange | undefined => this.events[step]?.exchange;

  /**
   * Sends a step and checks the exchange.
   * @returns undefined for a step that would change entities that the run did not create
   * @throws {Unresolved} when an earlier response lacks a value that the step refers to, or its path lacks a value
   */
  async perform(step: Step, stepContext: StepContext = {}): Promise<Event | undefined> {
    const { resources, modifyExisting } = this.context;
    const operation = resources.contract.operations.find(({ id }) => id === step.operation);
    if (!operation) {
      throw new Error(`The contract has no operation ${step.operation}: omit this plan.`);
    }
    const resolved = resolveStep(step, operation, this.earlier);
    if (!modifyExisting && !isAllowed(this, step, operation, resolved.path)) {
      return undefined;
    }
    const exchange = await this.context.send(resolved.request);
    const event: Event = {
      n: this.events.length,
      step,
      operation,
      sent: jsonOf(step, this.earlier),
      path: resolved.path,
      target: resolved.target,
      exchange,
      created: [],
      env: stepContext.env ?? new Map(),
      uses: stepContext.uses ?? [],
      failures: [],
      ...(stepContext.draw && { draw: stepContext.draw }),
      inventedFields: stepContext.inventedFields ?? [],
    };
    this.events.push(event);
    this.#checkExchange(event);
    this.#recordCreated(event);
    event.failures.push(...this.#checker.check(event));
    this.context.onEvent(event, this);
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
        if (isNamedInPath(event, entity)) {
          need(entity.sourceEvent);
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

  #checkExchange(event: Event): void {
    const { resources, schemas, checks } = this.context;
    const { step, operation, exchange } = event;
    const checked = { contract: resources.contract, schemas, operation, step, exchange };
    for (const check of checks) {
      const fault = check.verify(checked);
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
    // If an entity has several paths, the one that extends the path of its creation is used.
    const producers = this.context.resources
      .createdBy(operation)
      .sort((a, b) => Number(isIndirect(a)) - Number(isIndirect(b)));
    for (const producer of producers) {
      if (usedNouns.has(producer.slot.noun)) {
        continue;
      }
      const entity = this.#createdEntity(producer, event, exchange);
      if (!entity) {
        continue;
      }
      usedNouns.add(producer.slot.noun);
      const existing = this.entities.find(
        (candidate) => candidate.address !== undefined && candidate.address === entity.address,
      );
      if (existing) {
        existing.exists = true;
        continue;
      }
      this.context.onCreated(entity, event.step.caller);
      event.created.push(entity);
      // Entities created by other callers are not used further.
      if (event.step.caller === 'own') {
        this.entities.push(entity);
      }
    }
  }

  #createdEntity({ slot, kind, from }: Producer, event: Event, exchange: Exchange): Entity | undefined {
    if (kind === 'choose') {
      const text = event.path[slot.parameter.name];
      const value = event.step.path[slot.parameter.name];
      return text === undefined || value === undefined
        ? undefined
        : this.toEntity(slot, value, text, event, false);
    }
    for (const source of from) {
      if (source.startsWith('header:location') && !matchesSlot(exchange.response?.headers.location, slot)) {
        continue;
      }
      const text = this.#read(event.n, source);
      if (text !== undefined) {
        return this.toEntity(slot, { step: event.n, from: source }, text, event, false);
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

  /** Creates an entity from a value in the response of an event. */
  toEntity(slot: Slot, value: Entity['value'], text: string, event: Event, isDiscovered: boolean): Entity {
    const owners = new Map(event.env);
    if (!event.operation.path.includes(`{${slot.parameter.name}}`)) {
      owners.delete(slot.noun);
    }
    const texts = new Map([...owners].map(([noun, owner]) => [noun, owner.text]));
    for (const slotOfPath of this.context.resources.slotsOf(event.operation)) {
      const pathText = event.path[slotOfPath.parameter.name];
      if (pathText !== undefined) {
        texts.set(slotOfPath.noun, pathText);
      }
    }
    texts.set(slot.noun, text);
    const address = addressOf(slot, texts);
    return {
      slot,
      value,
      text,
      sourceEvent: event.n,
      creationPath: event.target,
      address: address,
      owners,
      uses: event.uses,
      isDiscovered,
      exists: true,
      altered: false,
      changeCount: 0,
    };
  }

  /** Adds the items of a list to a slot as discovered entities. */
  discover(producer: Producer, event: Event, maxItems = 3): Entity[] {
    const entities: Entity[] = [];
    for (let item = 0; item < maxItems; item += 1) {
      for (const first of producer.from) {
        const from = first.replace('/0', `/${item}`);
        const text = this.#read(event.n, from);
        if (text === undefined) {
          continue;
        }
        entities.push(this.toEntity(producer.slot, { step: event.n, from }, text, event, true));
        break;
      }
    }
    return entities;
  }
}

const isIndirect = ({ because }: Producer) =>
  because === 'the schema of its response' || because === 'its name';

/** Returns whether an event's request succeeded. */
export function succeeded({ exchange }: Event): boolean {
  const status = exchange.response?.status ?? 0;
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
function matchesSlot(location: string | undefined, slot: Slot): boolean {
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
function isNamedInPath({ step }: Event, { value }: Entity): boolean {
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
