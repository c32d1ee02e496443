import type { Contract, Operation } from '../../model/contract/contract.ts';
import { schemasOf } from '../../model/contract/schemas-of.ts';
import { effectOnExisting } from '../../model/plan/effects.ts';
import { Resources } from '../../model/plan/resources.ts';
import type { SchemaSet } from '../../model/schema/schema.ts';
import { checks } from '../checks/checks.ts';
import type { Finding } from '../report/finding.ts';
import type { Progress } from '../report/progress.ts';
import type { Exchange, WireRequest } from '../wire/exchange.ts';
import type { Wire } from '../wire/wire.ts';
import { CoverageCount } from './coverage.ts';
import { requestAt } from './entities/cleanup-requests.ts';
import { CreatedResources } from './entities/created-resources.ts';
import { SharedEntities } from './entities/shared-entities.ts';
import type { Event, Failure } from './event.ts';
import { isConclusive } from './failures/blame.ts';
import { createFinding, reproduceFailure, showReproduction } from './failures/findings.ts';
import { Shrinker } from './failures/shrink.ts';
import {
  LastRequests,
  type Occurrence,
  type RunState,
  STOP_SHRINK_LIMITS,
  StopFindings,
} from './failures/stop-findings.ts';
import { RequestFactory } from './request-factory.ts';
import { RequestGenerators } from './request-generators.ts';
import { Session, type SessionContext } from './session.ts';

/** Options of the engine. */
export interface EngineOptions {
  contract: Contract;
  wire: Wire;
  seed: number;
  /** Operations that receive no requests, by id. */
  excluded?: ReadonlySet<string>;
  excludedChecks: readonly string[];
  touchExisting: boolean;
  progress: Progress;
}

/** Number of false alarms before their cause is ignored. */
const MAX_DISMISSALS = 5;

/** Limits for shrinking one failure. */
const SHRINK_LIMITS = { requests: 300, milliseconds: 10_000 };
/** Minimum timeout of requests that reproduce a failure. */
const MIN_TIMEOUT_MS = 2_000;

/** Shared state of a run. Turns failures into findings. */
export class Engine implements RunState {
  readonly resources: Resources;
  readonly generators: RequestGenerators;
  readonly coverage: CoverageCount;
  readonly createdResources: CreatedResources;
  readonly sharedEntities: SharedEntities;
  readonly options: EngineOptions;
  readonly findings = new Map<string, Finding>();
  readonly schemas: SchemaSet;
  readonly #context: SessionContext;
  /** Number of false alarms by cause. The same cause may have real failures. */
  readonly #dismissed = new Map<string, number>();
  readonly shrinker: Shrinker;
  readonly #last = new LastRequests();
  readonly #stops = new StopFindings(this);
  /** Requests before a request without a response, because the server stopped. */
  readonly #before = new Map<Event, Occurrence[]>();
  /** Requests before each time that the server had stopped after a response. */
  readonly #stopped: Occurrence[][] = [];
  #slowestMs = 0;
  /** Operations that left a request without a response, which is already reported. */
  readonly #hanging = new Set<string>();
  hasEnded = false;
  readonly #pending: { session: Session; event: Event; failure: Failure }[] = [];

  constructor(options: EngineOptions) {
    const { contract, wire, seed, excluded = new Set(), excludedChecks, touchExisting } = options;
    this.options = options;
    this.schemas = schemasOf(contract);
    this.resources = new Resources(contract, this.schemas);
    this.generators = new RequestGenerators(this.resources, this.schemas, seed);
    for (const id of excluded) {
      this.generators.untestable.set(id, 'It is excluded.');
    }
    for (const { id, path } of contract.operations.filter(({ path }) => path.includes('#'))) {
      this.generators.untestable.set(id, `HTTP requests do not contain the fragment of ${path}.`);
    }
    if (!touchExisting) {
      this.#leaveOutChangesOfExisting();
    }
    this.coverage = new CoverageCount(contract);
    this.createdResources = new CreatedResources(
      excluded,
      wire.cleanUp,
      () => wire.stops(),
      (...request) => requestAt(this.generators, ...request),
    );
    this.sharedEntities = new SharedEntities(this.resources, () => wire.stops());
    this.#context = {
      resources: this.resources,
      schemas: this.schemas,
      send: (request, operation) => this.#timed(request, operation),
      stops: () => wire.stops(),
      checks: checks.filter(({ name }) => !excludedChecks.includes(name)),
      excludedChecks: new Set(excludedChecks),
      touchExisting,
      onEvent: (event, session) => this.#note(event, session),
      onStopped: () => this.#stopped.push(this.#last.take()),
      onWithheld: ({ id }) => this.generators.withheld.add(id),
      onCreated: (entity, session, event) => this.createdResources.add(entity, session, event),
    };
    // Failures that occur during shrinking occurred before or will occur again.
    this.shrinker = new Shrinker({
      open: () =>
        new Session({
          ...this.#context,
          send: (request) => wire.send(request, this.#shortTimeout()),
          onEvent: (event, session) => {
            this.#count(event);
            this.#remember(event, session);
          },
          onStopped: () => void this.#last.take(),
        }),
      close: (session) => this.createdResources.release(session),
      hasStopped: () => wire.hasStopped(),
    });
  }

  /** Leaves out the operations that would change existing resources with every request. */
  #leaveOutChangesOfExisting(): void {
    for (const operation of this.options.contract.operations) {
      const reason = effectOnExisting(this.resources, operation);
      if (reason !== undefined) {
        this.generators.untestable.set(operation.id, reason);
      }
    }
  }

  /** Starts a session. Its failures become findings. */
  session(name: string): RequestFactory {
    return new RequestFactory(new Session(this.#context), this.generators, this.sharedEntities, name);
  }

  /** Ends a session: turns its failures into findings, and deletes what it created. */
  async close({ session }: RequestFactory): Promise<void> {
    await this.settle();
    await this.createdResources.release(session);
  }

  /** Returns whether an operation can be tested. */
  isTestable(operation: Operation): boolean {
    return !this.generators.untestable.has(operation.id);
  }

  update(phase: string, operation = ''): void {
    this.options.progress.update({ phase, operation, failures: this.findings.size });
  }

  async #timed(request: WireRequest, { id }: Operation): Promise<Exchange> {
    const exchange = await this.options.wire.send(
      request,
      this.#hanging.has(id) ? this.#shortTimeout() : undefined,
    );
    if (exchange.response) {
      this.#slowestMs = Math.max(this.#slowestMs, exchange.milliseconds);
    } else if (exchange.milliseconds >= this.#shortTimeout()) {
      this.#hanging.add(id);
    }
    return exchange;
  }

  /** Returns the timeout of requests that probably get no response. */
  #shortTimeout(): number {
    return Math.max(MIN_TIMEOUT_MS, 10 * this.#slowestMs);
  }

  #note(event: Event, session: Session): void {
    this.#count(event);
    this.#remember(event, session);
    for (const failure of event.failures) {
      this.#pending.push({ session, event, failure });
    }
  }

  #remember(event: Event, session: Session): void {
    if (event.exchange.hasStopped) {
      this.#before.set(event, this.#last.take());
    } else {
      this.#last.add({ session, event });
    }
  }

  #count(event: Event): void {
    this.coverage.record(event);
    this.createdResources.removeDeleted(event);
    this.sharedEntities.observe(event);
    if (event.exchange.response?.status === 501 && !event.step.fault) {
      this.generators.untestable.set(event.operation.id, 'not implemented (501)');
    }
  }

  /** Reports whether the server stops after the last response, without another request that would show it. */
  async checkWhetherStopped(): Promise<void> {
    if (await this.options.wire.hasStopped()) {
      this.#stopped.push(this.#last.take());
    }
  }

  /** Removes findings of a stopped server that probably have the same reason as another finding. */
  removeKnownStops(): void {
    this.#stops.removeKnown();
  }

  /** Ends the run: further failures are reported as they occurred, without requests. */
  end(): void {
    this.hasEnded = true;
  }

  /** Turns the failures since the last call into findings. */
  async settle(): Promise<void> {
    for (let suspects = this.#stopped.shift(); suspects; suspects = this.#stopped.shift()) {
      await this.#stops.add(suspects);
    }
    // Those that are left when the run ends are settled afterwards.
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
      const { session, event, failure } = next;
      if (!isConclusive(failure, event, this.schemas)) {
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

  async #addFinding(key: string, session: Session, event: Event, failure: Failure): Promise<void> {
    const finding = createFinding(session, event, failure, this.options.seed);
    const before = this.#before.get(event) ?? [];
    if (event.exchange.hasStopped) {
      this.#stops.open(key, finding, before);
    } else {
      this.findings.set(key, finding);
    }
    if (this.hasEnded) {
      return;
    }
    this.update('shrinking', event.operation.id);
    const shown = await reproduceFailure(this.shrinker, session, event, failure);
    finding.repeatable = shown !== undefined;
    if (!shown) {
      await this.#stops.explain(key, finding, before);
      this.#stops.close(key);
      return;
    }
    if (event.exchange.hasStopped && (await this.#stops.explainByEarlierStep(key, finding, shown))) {
      this.#stops.close(key);
      return;
    }
    this.#stops.close(key);
    showReproduction(finding, shown);
    const least = await this.shrinker.shrink(
      shown,
      event.operation.id,
      event.exchange.response ? SHRINK_LIMITS : STOP_SHRINK_LIMITS,
    );
    showReproduction(finding, least);
    if (await this.shrinker.excludeEachOther(least)) {
      this.findings.delete(key);
      this.#dismissed.set(key, (this.#dismissed.get(key) ?? 0) + 1);
      this.coverage.countInconclusive(finding.operation);
    }
  }
}
