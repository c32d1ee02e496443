import { checks } from '../checks/checks.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { schemasOf } from '../contract/schemas-of.ts';
import { effectOnExisting } from '../plan/effects.ts';
import { Resources } from '../plan/resources.ts';
import type { Finding } from '../report/finding.ts';
import type { Progress } from '../report/progress.ts';
import type { SchemaSet } from '../schema/schema.ts';
import type { Wire } from '../wire/wire.ts';
import { CoverageCount } from './coverage.ts';
import { CreatedResources } from './created-resources.ts';
import type { Event, Failure } from './event.ts';
import { RequestFactory } from './request-factory.ts';
import { RequestGenerators } from './request-generators.ts';
import { pointed } from './resolve.ts';
import { Session, type SessionContext } from './session.ts';
import { type DrawnPlan, drawnPlanOf, type Reproduction, Shrinker, toPlan } from './shrink.ts';

/** Options of the engine. */
export interface EngineOptions {
  contract: Contract;
  wire: Wire;
  seed: number;
  excludedChecks: readonly string[];
  touchExisting: boolean;
  progress: Progress;
}

/** U+0000 and lone surrogates as written by JSON.stringify. */
const UNSTORABLE_TEXT = /(?<!\\)(?:\\\\)*\\u(0000|d[89a-f])/i;

/** Number of false alarms of one cause after which it is ignored. */
const MAX_DISMISSALS = 5;

/** Limits for shrinking one failure. */
const SHRINK_LIMITS = { requests: 120, milliseconds: 10_000 };

/** Shared state of a run. Turns failures into findings. */
export class Engine {
  readonly resources: Resources;
  readonly generators: RequestGenerators;
  readonly coverage: CoverageCount;
  readonly createdResources: CreatedResources;
  readonly options: EngineOptions;
  readonly findings = new Map<string, Finding>();
  readonly schemas: SchemaSet;
  readonly #context: SessionContext;
  /** Number of false alarms by cause. The same cause may have real failures. */
  readonly #dismissed = new Map<string, number>();
  readonly #shrinker: Shrinker;
  #pending: { session: Session; event: Event; failure: Failure }[] = [];

  constructor(options: EngineOptions) {
    const { contract, wire, seed, excludedChecks, touchExisting } = options;
    this.options = options;
    this.schemas = schemasOf(contract);
    this.resources = new Resources(contract, this.schemas);
    this.generators = new RequestGenerators(this.resources, this.schemas, seed);
    if (!touchExisting) {
      this.#leaveOutChangesOfExisting();
    }
    this.coverage = new CoverageCount(contract);
    this.createdResources = new CreatedResources(wire.cleanUp);
    this.#context = {
      resources: this.resources,
      schemas: this.schemas,
      send: wire.send,
      checks: checks.filter(({ name }) => !excludedChecks.includes(name)),
      excludedChecks: new Set(excludedChecks),
      touchExisting,
      onEvent: (event, session) => this.#note(event, session),
      onWithheld: ({ id }) => this.generators.withheld.add(id),
      onCreated: (entity, caller) => this.createdResources.add(entity, caller),
    };
    // Failures that occur during shrinking occurred before or will occur again.
    this.#shrinker = new Shrinker(
      () => new Session({ ...this.#context, onEvent: (event) => this.#count(event) }),
    );
  }

  /** Leaves out the operations of which every request would change existing resources. */
  #leaveOutChangesOfExisting(): void {
    for (const operation of this.options.contract.operations) {
      const reason = effectOnExisting(this.resources, operation);
      if (reason !== undefined) {
        this.generators.untestable.set(operation.id, reason);
      }
    }
  }

  /** Starts a session whose failures become findings. */
  session(name: string): RequestFactory {
    return new RequestFactory(new Session(this.#context), this.generators, name);
  }

  /** Returns whether an operation can be tested. */
  isTestable(operation: Operation): boolean {
    return !this.generators.untestable.has(operation.id);
  }

  update(phase: string, operation = ''): void {
    this.options.progress.update({ phase, operation, failures: this.findings.size });
  }

  #note(event: Event, session: Session): void {
    this.#count(event);
    for (const failure of event.failures) {
      this.#pending.push({ session, event, failure });
    }
  }

  #count(event: Event): void {
    this.coverage.note(event);
    this.createdResources.removeDeleted(event);
    if (event.exchange.response?.status === 501 && !event.step.fault) {
      this.generators.untestable.set(event.operation.id, 'not implemented (501)');
    }
  }

  /** Turns the failures since the last call into findings. */
  async settle(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const { session, event, failure } of pending) {
      if (failure.check === 'valid-input-accepted' && !this.#isBlamed(event)) {
        this.coverage.countInconclusive(event.operation.id);
        continue;
      }
      const key = `${failure.check}\n${failure.fault.cause}`;
      if ((this.#dismissed.get(key) ?? 0) >= MAX_DISMISSALS) {
        continue;
      }
      const existing = this.findings.get(key);
      const id = event.operation.id;
      if (!existing) {
        await this.#addFinding(key, session, event, failure);
      } else if (existing.operation !== id && !existing.otherOperations.includes(id)) {
        existing.otherOperations.push(id);
      }
    }
  }

  /**
   * Returns whether a rejection of valid input is a failure: the request contains no invented identifier and is valid.
   */
  #isBlamed(event: Event): boolean {
    const { inventedFields, operation, sent, step, env } = event;
    // A rejection of several resources together, or of a moved one, depends on their state.
    const named = step.body && 'json' in step.body ? step.body.references.length : 0;
    // Contracts do not always specify that a resource must not refer to itself.
    if (namesItself(event)) {
      return false;
    }
    if (named > 1 || (named > 0 && [...env.values()].some(({ altered }) => altered))) {
      return false;
    }
    // Lone surrogates and U+0000 are valid in JSON, but not every database can store them.
    if (inventedFields.length > 0 || UNSTORABLE_TEXT.test(JSON.stringify(sent) ?? '')) {
      return false;
    }
    const type = step.body?.mediaType;
    const schema = type === undefined ? undefined : operation.body?.content[type]?.schema;
    return sent === undefined || schema === undefined || this.schemas.accepts(schema, sent);
  }

  async #addFinding(key: string, session: Session, event: Event, failure: Failure): Promise<void> {
    const title = titleOf(session, [...failure.involves, failure.at]);
    const trail = drawnPlanOf(session, [...failure.involves, failure.at], title);
    const finding: Finding = {
      operation: event.operation.id,
      check: failure.check,
      message: failure.fault.message,
      expected: failure.fault.expected,
      cause: failure.fault.cause,
      plan: toPlan(trail),
      exchanges: exchangesOf(session, [...failure.involves, failure.at]),
      seed: this.options.seed,
      otherOperations: [],
      repeatable: true,
    };
    this.findings.set(key, finding);
    this.update('shrinking', event.operation.id);
    const shown = await this.#shown(session, trail, event, failure);
    finding.repeatable = shown !== undefined;
    if (!shown) {
      return;
    }
    this.#put(finding, shown);
    const least = await this.#shrinker.shrink(shown, event.operation.id, SHRINK_LIMITS);
    this.#put(finding, least);
    if (await this.#shrinker.excludeEachOther(least)) {
      this.findings.delete(key);
      this.#dismissed.set(key, (this.#dismissed.get(key) ?? 0) + 1);
      this.coverage.countInconclusive(finding.operation);
    }
  }

  async #shown(
    session: Session,
    trail: DrawnPlan,
    event: Event,
    failure: Failure,
  ): Promise<Reproduction | undefined> {
    const first = await this.#shrinker.reproduce(trail, failure, event.operation.id);
    if (first) {
      return first;
    }
    // It may depend on other changes of the same resources.
    const entities = new Set([...event.env.values()].map(({ text }) => text));
    const touching = session.events.filter(
      ({ n, operation, path }) =>
        n < event.n && operation.method !== 'GET' && Object.values(path).some((text) => entities.has(text)),
    );
    if (touching.length === 0) {
      return undefined;
    }
    const numbers = [...touching.slice(-30).map(({ n }) => n), ...failure.involves, failure.at];
    return await this.#shrinker.reproduce(
      drawnPlanOf(session, numbers, trail.title),
      failure,
      event.operation.id,
    );
  }

  #put(finding: Finding, { drawnPlan, failure, exchanges }: Reproduction): void {
    finding.plan = {
      ...toPlan(drawnPlan),
      title: drawnPlan.steps.map(({ step }) => step.operation).join(', '),
    };
    finding.message = failure.fault.message;
    finding.expected = failure.fault.expected;
    finding.exchanges = exchanges;
  }
}

/** Returns whether a body refers to a resource of the path. */
function namesItself({ step, sent, path }: Event): boolean {
  const { body } = step;
  if (!body || !('json' in body)) {
    return false;
  }
  const texts = new Set(Object.values(path));
  return body.references.some(({ at }) =>
    texts.has(String(pointed(sent, at.map((part) => `/${part}`).join('')))),
  );
}

function titleOf(session: Session, numbers: number[]): string {
  return session
    .planOf(numbers, '')
    .events.map(({ operation }) => operation.id)
    .join(', ');
}

const exchangesOf = (session: Session, numbers: number[]) =>
  session.planOf(numbers, '').events.map(({ exchange }) => exchange);
