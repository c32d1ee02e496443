import { isReading } from '../../../model/plan/effects.ts';
import type { Finding } from '../../report/finding.ts';
import type { Event, Failure } from '../event.ts';
import type { Session } from '../session.ts';
import { createFinding, showReproduction } from './findings.ts';
import { type DrawnPlan, drawnPlanOf, type Reproduction, type Shrinker } from './shrink.ts';
import { stopOf } from './stops.ts';

/** An event of a session. */
export interface Occurrence {
  session: Session;
  event: Event;
}

/** State of a run, as far as its findings depend on it. */
export interface RunState {
  readonly findings: Map<string, Finding>;
  readonly hasEnded: boolean;
  readonly options: { readonly seed: number; readonly excludedChecks: readonly string[] };
  readonly shrinker: Shrinker;
  update(phase: string, operation: string): void;
}

/** Number of last requests to suspect of stopping the server. */
const MAX_SUSPECTS = 40;
/** Number of suspects to send again, each by itself. */
const MAX_REPEATED_SUSPECTS = 20;
/** Limits for shrinking a failure that requires a restart of the server. */
export const STOP_SHRINK_LIMITS = { requests: 120, milliseconds: 30_000 };

/** Remembers the last requests, to find the one that stopped the server. */
export class LastRequests {
  #occurrences: Occurrence[] = [];

  add(occurrence: Occurrence): void {
    this.#occurrences = [...this.#occurrences, occurrence].slice(-MAX_SUSPECTS);
  }

  /** Removes and returns the requests, the last one first. */
  take(): Occurrence[] {
    return this.#occurrences.splice(0).reverse();
  }
}

/** Findings of a server that stopped: looks for the request that is the reason. */
export class StopFindings {
  readonly #run: RunState;
  /** Requests before findings with an undetermined reason, by the key of the finding. */
  readonly #open = new Map<string, readonly Occurrence[]>();

  constructor(run: RunState) {
    this.#run = run;
  }

  /** Adds a finding that may have an earlier request as its reason. */
  open(key: string, finding: Finding, suspects: readonly Occurrence[]): void {
    this.#run.findings.set(key, finding);
    this.#open.set(key, suspects);
  }

  /** Ends the search for the reason of a finding. */
  close(key: string): void {
    this.#open.delete(key);
  }

  /** Removes the findings with a reason that the run could not determine and that is probably known. */
  removeKnown(): void {
    for (const [key, suspects] of this.#open) {
      if (this.#isKnown(suspects, key)) {
        this.#run.findings.delete(key);
      }
    }
  }

  /** Adds a finding for one of the last requests: the server stopped after their responses. */
  async add(suspects: readonly Occurrence[]): Promise<void> {
    const { findings, hasEnded, options } = this.#run;
    const [last] = suspects;
    if (!last || options.excludedChecks.includes('no-server-error')) {
      return;
    }
    const failure = stopOf(last.event);
    const key = keyOf(failure);
    if (findings.has(key)) {
      return;
    }
    // The finding is reported even if the server does not return again.
    const finding = createFinding(last.session, last.event, failure, options.seed);
    this.open(key, finding, suspects);
    if (hasEnded) {
      return;
    }
    if (!(await this.explain(key, finding, suspects))) {
      finding.repeatable = false;
    }
    this.close(key);
  }

  /** Replaces a finding by that of the request that stops the server; returns whether there is one. */
  async explain(key: string, finding: Finding, suspects: readonly Occurrence[]): Promise<boolean> {
    if (this.#isKnown(suspects, key)) {
      this.#run.findings.delete(key);
      return true;
    }
    this.#run.update('shrinking', finding.operation);
    for (const { session, event } of likeliest(suspects)) {
      const reproduction = await this.#reproduce(drawnPlanOf(session, [event.n], event.operation.id));
      if (reproduction) {
        await this.#replace(key, finding, reproduction);
        return true;
      }
    }
    const [last] = suspects;
    if (!last) {
      return false;
    }
    const numbers = suspects.filter(({ session }) => session === last.session).map(({ event: { n } }) => n);
    const all = await this.#reproduce(drawnPlanOf(last.session, numbers, last.event.operation.id));
    if (all) {
      await this.#replace(key, finding, all);
    }
    return all !== undefined;
  }

  /** Replaces a finding without a response if the server stops after an earlier step, only later. */
  async explainByEarlierStep(key: string, finding: Finding, { drawnPlan }: Reproduction): Promise<boolean> {
    const steps = drawnPlan.steps.slice(0, -1);
    const reproduction = steps.length > 0 && (await this.#reproduce({ ...drawnPlan, steps }));
    if (!reproduction) {
      return false;
    }
    await this.#replace(key, finding, reproduction);
    return true;
  }

  /** Returns whether one of the last requests is of an operation that is known to stop the server later. */
  #isKnown(suspects: readonly Occurrence[], unexplained: string): boolean {
    const keys = new Set(suspects.map(({ event }) => keyOf(stopOf(event))));
    keys.delete(unexplained);
    return [...keys].some((key) => this.#run.findings.get(key)?.repeatable);
  }

  async #reproduce(plan: DrawnPlan): Promise<Reproduction | undefined> {
    const operation = plan.steps.at(-1)?.step.operation;
    const expected: Failure = {
      check: 'no-server-error',
      fault: { message: '', expected: '', cause: '' },
      at: 0,
      involves: [],
      hasStopped: true,
    };
    if (operation === undefined) {
      return undefined;
    }
    const { shrinker } = this.#run;
    const first = await shrinker.reproduce(plan, expected, operation);
    // The first time, an earlier request may have been the reason. The second time, the server has just started.
    return first && (await shrinker.reproduce(plan, expected, operation));
  }

  /** Removes steps at the end, which the server only still responded to. */
  async #withoutLaterSteps(reproduction: Reproduction): Promise<Reproduction> {
    let least = reproduction;
    for (;;) {
      const steps = least.drawnPlan.steps.slice(0, -1);
      const earlier = await this.#reproduce({ ...least.drawnPlan, steps });
      if (!earlier) {
        return least;
      }
      least = earlier;
    }
  }

  async #replace(key: string, finding: Finding, found: Reproduction): Promise<void> {
    const { findings, shrinker } = this.#run;
    const reproduction = await this.#withoutLaterSteps(found);
    const operation = reproduction.drawnPlan.steps.at(-1)?.step.operation ?? '';
    const { cause } = reproduction.failure.fault;
    findings.delete(key);
    // The same request may also have been left without a response.
    if (
      findings.has(keyOf(reproduction.failure)) ||
      findings.has(`no-server-error\nno response at ${operation}`)
    ) {
      return;
    }
    findings.set(keyOf(reproduction.failure), Object.assign(finding, { operation, cause, repeatable: true }));
    showReproduction(finding, reproduction);
    showReproduction(finding, await shrinker.shrink(reproduction, operation, STOP_SHRINK_LIMITS));
  }
}

/** Returns the requests that most likely stopped the server: the last two, then the last writes. */
function likeliest(suspects: readonly Occurrence[]): Occurrence[] {
  const writes = suspects.slice(2).filter(({ event }) => !isReading(event.operation.method));
  return [...suspects.slice(0, 2), ...writes].slice(0, MAX_REPEATED_SUSPECTS);
}

const keyOf = ({ check, fault }: Failure): string => `${check}\n${fault.cause}`;
