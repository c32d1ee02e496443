import { checks } from '../checks/checks.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { schemasOf } from '../contract/schemas-of.ts';
import { Resources } from '../plan/resources.ts';
import type { Finding } from '../report/finding.ts';
import type { Progress } from '../report/progress.ts';
import type { SchemaSet } from '../schema/schema.ts';
import type { Wire } from '../wire/wire.ts';
import { CoverageCount } from './coverage.ts';
import type { Event, Failure } from './event.ts';
import { Ledger } from './ledger.ts';
import { pointed } from './resolve.ts';
import { type Ground, Session } from './session.ts';
import { planOfTrail, type Shown, Shrinker, type Trail, trailTo } from './shrink.ts';
import { Makers, Supply } from './supply.ts';

/** What a run is about. */
export interface EngineOptions {
  contract: Contract;
  wire: Wire;
  seed: number;
  leaveOut: readonly string[];
  touchExisting: boolean;
  progress: Progress;
}

/** How JSON.stringify writes U+0000 and half surrogate pairs. */
const ODD = /(?<!\\)(?:\\\\)*\\u(0000|d[89a-f])/i;

/** So often a failure is looked into that turned out to be none. */
const DOUBTS = 5;

/** What a failure may take to be shrunk. */
const PATIENCE = { requests: 120, milliseconds: 10_000 };

/** Holds what all parts of a run share, and makes findings of failures. */
export class Engine {
  readonly resources: Resources;
  readonly makers: Makers;
  readonly coverage: CoverageCount;
  readonly ledger: Ledger;
  readonly options: EngineOptions;
  readonly findings = new Map<string, Finding>();
  readonly schemas: SchemaSet;
  readonly #ground: Ground;
  /** How often a failure turned out to be none: of one cause there may be others that are some. */
  readonly #dismissed = new Map<string, number>();
  readonly #shrinker: Shrinker;
  #pending: { session: Session; event: Event; failure: Failure }[] = [];

  constructor(options: EngineOptions) {
    const { contract, wire, seed, leaveOut, touchExisting } = options;
    this.options = options;
    this.schemas = schemasOf(contract);
    this.resources = new Resources(contract, this.schemas);
    this.makers = new Makers(this.resources, this.schemas, seed);
    this.coverage = new CoverageCount(contract);
    this.ledger = new Ledger(wire.cleanUp);
    this.#ground = {
      resources: this.resources,
      schemas: this.schemas,
      send: wire.send,
      checks: checks.filter(({ name }) => !leaveOut.includes(name)),
      leaveOut: new Set(leaveOut),
      touchExisting,
      note: (event, session) => this.#note(event, session),
      made: (thing, caller) => this.ledger.made(thing, caller),
    };
    // What shows while a failure is shrunk has shown before, or shows again.
    this.#shrinker = new Shrinker(
      () => new Session({ ...this.#ground, note: (event) => this.#count(event) }),
    );
  }

  /** A session with nothing in it yet, whose failures become findings. */
  session(name: string): Supply {
    return new Supply(new Session(this.#ground), this.makers, name);
  }

  /** Whether an operation is worth a request. */
  isOpen(operation: Operation): boolean {
    return !this.makers.leftAlone.has(operation.id);
  }

  update(phase: string, operation = ''): void {
    this.options.progress.update({ phase, operation, failures: this.findings.size });
  }

  #note(event: Event, session: Session): void {
    this.#count(event);
    for (const failure of event.failures) this.#pending.push({ session, event, failure });
  }

  #count(event: Event): void {
    this.coverage.note(event);
    this.ledger.see(event);
    if (event.exchange.answer?.status === 501 && !event.step.fault)
      this.makers.leftAlone.set(event.operation.id, 'It is not implemented: 501.');
  }

  /** Makes findings of the failures that were met since the last time. */
  async settle(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const { session, event, failure } of pending) {
      if (failure.check === 'good-input-accepted' && !this.#isBlamed(event)) {
        this.coverage.unjudged(event.operation.id);
        continue;
      }
      const key = `${failure.check}\n${failure.fault.cause}`;
      if ((this.#dismissed.get(key) ?? 0) >= DOUBTS) continue;
      const known = this.findings.get(key);
      const id = event.operation.id;
      if (!known) await this.#found(key, session, event, failure);
      else if (known.operation !== id && !known.alsoAt.includes(id)) known.alsoAt.push(id);
    }
  }

  /** Whether a refusal of good input is the server's fault: nothing in it was invented, and it is valid indeed. */
  #isBlamed(event: Event): boolean {
    const { madeUp, operation, sent, step, env } = event;
    // What several things together are refused for is about their state, and so is what was moved elsewhere.
    const named = step.body && 'json' in step.body ? step.body.references.length : 0;
    // Nor does every contract say where a thing may not name itself.
    if (namesItself(event)) return false;
    if (named > 1 || (named > 0 && [...env.values()].some(({ altered }) => altered))) return false;
    // Half characters, and U+0000, can be written as JSON, but not be kept by every database.
    if (madeUp.length > 0 || ODD.test(JSON.stringify(sent) ?? '')) return false;
    const type = step.body?.mediaType;
    const schema = type === undefined ? undefined : operation.body?.content[type]?.schema;
    return sent === undefined || schema === undefined || this.schemas.accepts(schema, sent);
  }

  async #found(key: string, session: Session, event: Event, failure: Failure): Promise<void> {
    const title = titleOf(session, [...failure.involves, failure.at]);
    const trail = trailTo(session, [...failure.involves, failure.at], title);
    const finding: Finding = {
      operation: event.operation.id,
      check: failure.check,
      message: failure.fault.message,
      expected: failure.fault.expected,
      cause: failure.fault.cause,
      plan: planOfTrail(trail),
      exchanges: exchangesOf(session, [...failure.involves, failure.at]),
      seed: this.options.seed,
      alsoAt: [],
      repeatable: true,
    };
    this.findings.set(key, finding);
    this.update('shrinking', event.operation.id);
    const shown = await this.#shown(session, trail, event, failure);
    finding.repeatable = shown !== undefined;
    if (!shown) return;
    this.#put(finding, shown);
    const least = await this.#shrinker.shrink(shown, event.operation.id, PATIENCE);
    this.#put(finding, least);
    if (await this.#shrinker.excludeEachOther(least)) {
      this.findings.delete(key);
      this.#dismissed.set(key, (this.#dismissed.get(key) ?? 0) + 1);
      this.coverage.unjudged(finding.operation);
    }
  }

  async #shown(session: Session, trail: Trail, event: Event, failure: Failure): Promise<Shown | undefined> {
    const first = await this.#shrinker.show(trail, failure, event.operation.id);
    if (first) return first;
    // It may hang on what else was done to the same things.
    const things = new Set([...event.env.values()].map(({ text }) => text));
    const touching = session.events.filter(
      ({ n, operation, path }) =>
        n < event.n && operation.method !== 'GET' && Object.values(path).some((text) => things.has(text)),
    );
    if (touching.length === 0) return undefined;
    const numbers = [...touching.slice(-30).map(({ n }) => n), ...failure.involves, failure.at];
    return await this.#shrinker.show(trailTo(session, numbers, trail.title), failure, event.operation.id);
  }

  #put(finding: Finding, { trail, failure, exchanges }: Shown): void {
    finding.plan = { ...planOfTrail(trail), title: trail.steps.map(({ step }) => step.operation).join(', ') };
    finding.message = failure.fault.message;
    finding.expected = failure.fault.expected;
    finding.exchanges = exchanges;
  }
}

/** Whether a body names a thing that stands in the path as well. */
function namesItself({ step, sent, path }: Event): boolean {
  const { body } = step;
  if (!body || !('json' in body)) return false;
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
