import type { Operation } from '../../model/contract/contract.ts';
import type { Plan, Step } from '../../model/plan/plan.ts';
import type { Resources } from '../../model/plan/resources.ts';
import type { Drawn } from '../../model/sample/draw.ts';
import type { SchemaSet } from '../../model/schema/schema.ts';
import type { Check } from '../checks/check.ts';
import type { Parts } from '../requests/requests.ts';
import { type Exchange, ServerReturned, type WireRequest } from '../wire/exchange.ts';
import { isAllowed } from './checking/safety.ts';
import { SessionChecker } from './checking/session-checker.ts';
import { adoptedEvents } from './entities/adopted-events.ts';
import type { Entity } from './entities/entity.ts';
import { createdEntities } from './entities/session-entities.ts';
import type { Event } from './event.ts';
import { jsonOf, type Resolved, referencesOf, renumber, resolveStep } from './resolve.ts';
import type { SessionHistory } from './session-history.ts';

/** Shared context of the sessions of a run. */
export interface SessionContext {
  resources: Resources;
  schemas: SchemaSet;
  send: (request: WireRequest, operation: Operation) => Promise<Exchange>;
  /** Returns the number of times that the server stopped. */
  stops: () => number;
  /** Checks of single exchanges, without skipped ones. */
  checks: readonly Check[];
  /** Names of skipped checks. */
  excludedChecks: ReadonlySet<string>;
  /** Whether requests may change resources that the run did not create. */
  touchExisting: boolean;
  /** Called for every exchange in order. */
  onEvent: (event: Event, session: Session) => void;
  /** Called when the server had stopped after a response, as the next request showed. */
  onStopped: () => void;
  /** Called for every request that is not sent, because it could change existing resources. */
  onWithheld: (operation: Operation) => void;
  /** Called for every created entity. */
  onCreated: (entity: Entity, session: Session, event: Event) => void;
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
  /** Exchange of another session with the same request, which is not sent again. */
  recorded?: RecordedExchange;
}

/** An exchange of another session. It is valid until the server stops. */
export interface RecordedExchange {
  exchange: Exchange;
  /** Number of times that the server had stopped. */
  stops: number;
}

/** Sequence of requests with the entities they created. Any subset of its events can be turned into a plan. */
export class Session implements SessionHistory {
  readonly context: SessionContext;
  readonly events: Event[] = [];
  readonly entities: Entity[] = [];
  readonly #checker: SessionChecker;
  #stops: number;
  #firstValidEvent = 0;

  constructor(context: SessionContext) {
    this.context = context;
    this.#stops = context.stops();
    this.#checker = new SessionChecker(this);
  }

  /** Number of the first event since the server last stopped. The resources of earlier ones may be others now. */
  get firstValidEvent(): number {
    return this.#firstValidEvent;
  }

  readonly earlier = (step: number): Exchange | undefined => this.events[step]?.exchange;

  /**
   * Sends a step and checks the exchange.
   * @returns undefined for a step that would change entities that the run did not create
   * @throws {Unresolved} when an earlier response lacks a value that the step refers to, or its path lacks a value
   */
  async perform(step: Step, stepContext: StepContext = {}): Promise<Event | undefined> {
    const { resources } = this.context;
    const operation = resources.contract.operations.find(({ id }) => id === step.operation);
    if (!operation) {
      throw new Error(`The contract has no operation ${step.operation}: omit this plan.`);
    }
    const { recorded } = stepContext;
    const isAdopted = recorded?.stops === this.context.stops();
    const sent =
      recorded && isAdopted
        ? { resolved: resolveStep(step, operation, this.earlier), exchange: recorded.exchange }
        : await this.#send(step, operation);
    if (!sent) {
      return undefined;
    }
    const { resolved, exchange } = sent;
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
      ...(isAdopted && { isAdopted: true }),
    };
    this.events.push(event);
    if (event.isAdopted) {
      this.#recordCreated(event);
      return event;
    }
    this.#checkExchange(event);
    this.#recordCreated(event);
    event.failures.push(...this.#checker.check(event));
    this.context.onEvent(event, this);
    return event;
  }

  /** Sends the request of a step, again if the server had stopped; returns undefined if it is not allowed. */
  async #send(
    step: Step,
    operation: Operation,
  ): Promise<{ resolved: Resolved; exchange: Exchange } | undefined> {
    for (;;) {
      if (this.context.stops() !== this.#stops) {
        this.#forget();
      }
      const resolved = resolveStep(step, operation, this.earlier);
      if (!this.context.touchExisting && !isAllowed(this, step, operation, resolved.path)) {
        this.context.onWithheld(operation);
        return undefined;
      }
      try {
        return { resolved, exchange: await this.context.send(resolved.request, operation) };
      } catch (error) {
        if (!(error instanceof ServerReturned)) {
          throw error;
        }
        if (!error.isReported) {
          this.context.onStopped();
        }
      }
    }
  }

  /** Forgets the resources of the session: a server that stopped may have lost them. */
  #forget(): void {
    this.#stops = this.context.stops();
    this.#firstValidEvent = this.events.length;
    for (const entity of this.entities) {
      entity.exists = false;
    }
    this.entities.length = 0;
    this.#checker.forget();
  }

  /** Continues with the entities that another session created. */
  adopt(events: readonly Event[]): void {
    const { added, entities } = adoptedEvents(events, this.events);
    this.events.push(...added);
    this.entities.push(...entities);
  }

  /** Returns the shortest plan that contains some events: these, and the events with responses that they need. */
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
    for (const entity of createdEntities(this, event)) {
      const existing = this.entities.findIndex(
        (candidate) => candidate.address !== undefined && candidate.address === entity.address,
      );
      if (this.entities[existing]?.exists) {
        continue;
      }
      if (existing !== -1) {
        // Deleted, and created again.
        this.entities.splice(existing, 1);
      }
      if (!event.isAdopted) {
        this.context.onCreated(entity, this, event);
      }
      event.created.push(entity);
      // Entities created by other callers are not used further.
      if (event.step.caller === 'own') {
        this.entities.push(entity);
      }
    }
  }
}

/** Returns whether a step names an entity itself, in its path or its body. */
function isNamedInPath({ step }: Event, { value }: Entity): boolean {
  if (typeof value !== 'string') {
    return false;
  }
  return Object.values(step.path).includes(value);
}
