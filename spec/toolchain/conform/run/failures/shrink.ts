import { isObject } from '../../../document.ts';
import type { Operation } from '../../../model/contract/contract.ts';
import type { Plan, Step } from '../../../model/plan/plan.ts';
import { type Drawn, mapDrawn } from '../../../model/sample/draw.ts';
import type { Parts } from '../../requests/requests.ts';
import { type Exchange, Unresolved } from '../../wire/exchange.ts';
import type { Failure } from '../event.ts';
import { referencesOf, renumber } from '../resolve.ts';
import type { RecordedExchange, Session } from '../session.ts';
import { isConclusive } from './blame.ts';
import { stopOf } from './stops.ts';

/** A plan with the draws that its steps were generated from. */
export interface DrawnPlan {
  title: string;
  steps: {
    step: Step;
    drawn?: Drawn<Parts> | undefined;
    inventedFields: readonly string[];
    /** Exchange of a request that is not repeated, because nothing deletes what it creates. */
    recorded?: RecordedExchange;
  }[];
}

/** A failure that a plan reproduced in a new session. */
export interface Reproduction {
  drawnPlan: DrawnPlan;
  failure: Failure;
  exchanges: Exchange[];
}

/** Maximum number of simpler values that are tried for each value that reproduces the failure. */
const MAX_ATTEMPTS = 60;

/** Limits for shrinking one failure. */
export interface ShrinkLimits {
  requests: number;
  milliseconds: number;
}

/** Sessions of a shrinker. */
export interface ShrinkSessions {
  /** Opens a session without events. */
  open(): Session;
  /** Deletes what a session created. */
  close(session: Session): Promise<void>;
  /** Returns whether the server stops soon after its last response. */
  hasStopped(): Promise<boolean>;
}

/** Returns the steps that lead to events of a session. */
export function drawnPlanOf(session: Session, numbers: Iterable<number>, title: string): DrawnPlan {
  const { plan, events } = session.planOf(numbers, title);
  const order = events.map(({ n }) => n);
  const steps = events.map((event, at) => ({
    step: plan.steps[at] ?? event.step,
    inventedFields: event.inventedFields,
    ...(event.draw && { drawn: moved(event.draw, (n) => order.indexOf(n)) }),
    ...(event.isAdopted && { recorded: { exchange: event.exchange, stops: session.context.stops() } }),
  }));
  return { title, steps };
}

/** Header with the key of a request. Servers return the first response again for a repeated key. */
const KEY_HEADER = 'idempotency-key';

/** Returns a plan without the optional keys of its requests; undefined if it has none. */
export function withoutKeys(
  { title, steps }: DrawnPlan,
  operations: readonly Operation[],
): DrawnPlan | undefined {
  const isOptional = (id: string) =>
    operations.some(
      (operation) =>
        operation.id === id &&
        operation.parameters.some(
          ({ in: location, name, required }) =>
            location === 'header' && name.toLowerCase() === KEY_HEADER && !required,
        ),
    );
  const others = (headers: Step['headers']) => headers.filter(([name]) => name.toLowerCase() !== KEY_HEADER);
  const changed = steps.map((item) =>
    isOptional(item.step.operation) && others(item.step.headers).length < item.step.headers.length
      ? {
          ...item,
          step: { ...item.step, headers: others(item.step.headers) },
          drawn:
            item.drawn && mapDrawn(item.drawn, (parts) => ({ ...parts, headers: others(parts.headers) })),
        }
      : item,
  );
  return changed.some((item, at) => item !== steps[at]) ? { title, steps: changed } : undefined;
}

/** Renumbers the steps that a draw refers to. */
function moved(drawn: Drawn<Parts>, to: (step: number) => number): Drawn<Parts> {
  const {
    operation: _o,
    caller: _c,
    ...parts
  } = renumber({ operation: '', caller: 'own', ...drawn.value } as Step, to);
  return {
    value: { ...parts, inventedFields: drawn.value.inventedFields },
    *simpler() {
      for (const next of drawn.simpler()) {
        yield moved(next, to);
      }
    },
  };
}

/** Returns the plan of drawn steps. */
export const toPlan = ({ title, steps }: DrawnPlan): Plan => ({
  title,
  steps: steps.map(({ step }) => step),
});

/** Looks for shorter trails and simpler values that show the same failure. */
export class Shrinker {
  readonly #sessions: ShrinkSessions;
  readonly #now: () => number;

  constructor(sessions: ShrinkSessions, now: () => number = Date.now) {
    this.#sessions = sessions;
    this.#now = now;
  }

  /** Replays a trail; returns undefined if it does not reproduce the failure. */
  async reproduce(
    drawnPlan: DrawnPlan,
    expected: Failure,
    operation: string,
  ): Promise<Reproduction | undefined> {
    const session = this.#sessions.open();
    const { context, events } = session;
    try {
      for (const { step, inventedFields, recorded } of drawnPlan.steps) {
        const stops = context.stops();
        const event = await session.perform(step, { inventedFields, ...(recorded && { recorded }) });
        // The server returned without the resources of earlier steps.
        if (!event || (events.length > 1 && context.stops() !== stops)) {
          return undefined;
        }
        const failure = event.failures.find((one) => isSame(one, expected));
        // A rejection with another reason, such as an invented value, is another failure.
        if (failure && event.operation.id === operation && isConclusive(failure, event, context.schemas)) {
          return {
            drawnPlan: { ...drawnPlan, steps: drawnPlan.steps.slice(0, event.n + 1) },
            failure,
            exchanges: session.events.map(({ exchange }) => exchange),
          };
        }
      }
      const last = events.at(-1);
      if (expected.hasStopped && last?.operation.id === operation && (await this.#sessions.hasStopped())) {
        return { drawnPlan, failure: stopOf(last), exchanges: events.map(({ exchange }) => exchange) };
      }
    } catch (error) {
      if (!(error instanceof Unresolved)) {
        throw error;
      }
    } finally {
      await this.#sessions.close(session);
    }
    return undefined;
  }

  /**
   * Returns whether the field that a patch changed unexpectedly and the one that it set are mutually exclusive, by a
   * rule that the contract does not state: then a patch that sets both is rejected.
   */
  async excludeEachOther({ drawnPlan, failure: { changed } }: Reproduction): Promise<boolean> {
    const patch = changed && drawnPlan.steps[changed.patch];
    const body = patch?.step.body;
    if (!changed || !body || !('json' in body) || !isObject(body.json)) {
      return false;
    }
    const both = { ...body, json: { ...body.json, [changed.name]: changed.before } };
    const session = this.#sessions.open();
    try {
      for (const { step, inventedFields, recorded } of drawnPlan.steps.slice(0, changed.patch)) {
        await session.perform(step, { inventedFields, ...(recorded && { recorded }) });
      }
      const event = await session.perform(
        { ...patch.step, body: both },
        { inventedFields: patch.inventedFields },
      );
      return [400, 409, 422].includes(event?.exchange.response?.status ?? 0);
    } catch (error) {
      if (!(error instanceof Unresolved)) {
        throw error;
      }
      return false;
    } finally {
      await this.#sessions.close(session);
    }
  }

  /** Returns the simplest trail that reproduces the failure. */
  async shrink(first: Reproduction, operation: string, limits: ShrinkLimits): Promise<Reproduction> {
    const deadline = this.#now() + limits.milliseconds;
    let left = limits.requests;
    let best = first;
    const attempt = async (drawnPlan: DrawnPlan): Promise<boolean> => {
      if (left < drawnPlan.steps.length || this.#now() > deadline) {
        return false;
      }
      left -= drawnPlan.steps.length;
      const reproduction = await this.reproduce(drawnPlan, best.failure, operation);
      if (reproduction) {
        best = reproduction;
      }
      return reproduction !== undefined;
    };
    // Steps first: each one less makes every further try cheaper.
    for (let at = best.drawnPlan.steps.length - 2; at >= 0; at -= 1) {
      const without = dropped(best.drawnPlan, at);
      if (without) {
        await attempt(without);
      }
    }
    for (let at = best.drawnPlan.steps.length - 1; at >= 0; at -= 1) {
      await this.#simplify(() => best, at, attempt);
    }
    return best;
  }

  async #simplify(
    best: () => Reproduction,
    at: number,
    attempt: (drawnPlan: DrawnPlan) => Promise<boolean>,
  ): Promise<void> {
    let drawn = best().drawnPlan.steps[at]?.drawn;
    while (drawn) {
      let next: Drawn<Parts> | undefined;
      let attempts = 0;
      for (const simpler of drawn.simpler()) {
        attempts += 1;
        if (attempts > MAX_ATTEMPTS) {
          return;
        }
        if (await attempt(withParts(best().drawnPlan, at, simpler))) {
          next = simpler;
          break;
        }
      }
      drawn = next;
    }
  }
}

const isSame = (left: Failure, right: Failure) =>
  left.check === right.check && left.fault.cause === right.fault.cause;

/** Removes a step from a trail; returns undefined if a later step requires it. */
function dropped(drawnPlan: DrawnPlan, at: number): DrawnPlan | undefined {
  const needed = drawnPlan.steps
    .slice(at + 1)
    .some(({ step }) => referencesOf(step).some(({ step: n }) => n === at));
  if (needed) {
    return undefined;
  }
  const to = (n: number) => (n > at ? n - 1 : n);
  return {
    title: drawnPlan.title,
    steps: drawnPlan.steps
      .filter((_, index) => index !== at)
      .map(({ step, drawn, inventedFields, recorded }) => ({
        step: renumber(step, to),
        inventedFields,
        ...(recorded && { recorded }),
        ...(drawn && { drawn: moved(drawn, to) }),
      })),
  };
}

function withParts(drawnPlan: DrawnPlan, at: number, drawn: Drawn<Parts>): DrawnPlan {
  return {
    title: drawnPlan.title,
    steps: drawnPlan.steps.map((previous, index) => {
      if (index !== at) {
        return previous;
      }
      const { operation, caller, fault } = previous.step;
      const { inventedFields, choice: _, ...parts } = drawn.value;
      // Properties of the step other than its draw, such as the caller, are unchanged.
      const step: Step = { ...parts, operation, caller, ...(fault && !parts.fault && { fault }) };
      return { step, drawn, inventedFields: inventedFields };
    }),
  };
}
