import { isObject } from '../../document.ts';
import type { Plan, Step } from '../plan/plan.ts';
import type { Parts } from '../requests/requests.ts';
import { type Exchange, Unresolved } from '../wire/exchange.ts';
import type { Drawn } from './draw.ts';
import type { Failure } from './event.ts';
import { referencesOf, renumber } from './resolve.ts';
import type { Session } from './session.ts';

/** A plan whose steps remember what they were drawn from. */
export interface Trail {
  title: string;
  steps: { step: Step; drawn?: Drawn<Parts>; madeUp: readonly string[] }[];
}

/** What showed when a trail was run afresh. */
export interface Shown {
  trail: Trail;
  failure: Failure;
  exchanges: Exchange[];
}

/** What shrinking one failure may take. */
export interface Patience {
  requests: number;
  milliseconds: number;
}

/** Opens a session that starts with nothing. */
export type Afresh = () => Session;

/** Returns the steps that lead to events of a session. */
export function trailTo(session: Session, numbers: Iterable<number>, title: string): Trail {
  const { plan, events } = session.planOf(numbers, title);
  const order = events.map(({ n }) => n);
  const steps = events.map((event, at) => ({
    step: plan.steps[at] ?? event.step,
    madeUp: event.madeUp,
    ...(event.drawn && { drawn: moved(event.drawn, (n) => order.indexOf(n)) }),
  }));
  return { title, steps };
}

/** Renumbers the steps that a draw refers to. */
function moved(drawn: Drawn<Parts>, to: (step: number) => number): Drawn<Parts> {
  const {
    operation: _o,
    caller: _c,
    ...parts
  } = renumber({ operation: '', caller: 'own', ...drawn.value } as Step, to);
  return {
    value: { ...parts, madeUp: drawn.value.madeUp },
    *simpler() {
      for (const next of drawn.simpler()) {
        yield moved(next, to);
      }
    },
  };
}

export const planOfTrail = ({ title, steps }: Trail): Plan => ({
  title,
  steps: steps.map(({ step }) => step),
});

/** Looks for shorter trails and simpler values that show the same failure. */
export class Shrinker {
  readonly #afresh: Afresh;
  readonly #now: () => number;

  constructor(afresh: Afresh, now: () => number = Date.now) {
    this.#afresh = afresh;
    this.#now = now;
  }

  /** Replays a trail; returns undefined if it does not reproduce the failure. */
  async show(trail: Trail, expected: Failure, operation: string): Promise<Shown | undefined> {
    const session = this.#afresh();
    try {
      for (const { step, madeUp } of trail.steps) {
        const event = await session.perform(step, { madeUp });
        if (!event) {
          return undefined;
        }
        const failure = event.failures.find((one) => isSame(one, expected));
        if (failure && event.operation.id === operation) {
          return {
            trail: { ...trail, steps: trail.steps.slice(0, event.n + 1) },
            failure,
            exchanges: session.events.map(({ exchange }) => exchange),
          };
        }
      }
    } catch (error) {
      if (!(error instanceof Unresolved)) {
        throw error;
      }
    }
    return undefined;
  }

  /**
   * Returns whether the field that a patch changed unexpectedly and the one that it set are mutually exclusive, by a
   * rule that the contract does not state: then a patch that sets both is rejected.
   */
  async excludeEachOther({ trail, failure: { changed } }: Shown): Promise<boolean> {
    const patch = changed && trail.steps[changed.patch];
    const body = patch?.step.body;
    if (!changed || !body || !('json' in body) || !isObject(body.json)) {
      return false;
    }
    const both = { ...body, json: { ...body.json, [changed.name]: changed.before } };
    const session = this.#afresh();
    try {
      for (const { step, madeUp } of trail.steps.slice(0, changed.patch)) {
        await session.perform(step, { madeUp });
      }
      const event = await session.perform({ ...patch.step, body: both }, { madeUp: patch.madeUp });
      return [400, 409, 422].includes(event?.exchange.answer?.status ?? 0);
    } catch (error) {
      if (!(error instanceof Unresolved)) {
        throw error;
      }
      return false;
    }
  }

  /** Returns the simplest trail that reproduces the failure. */
  async shrink(first: Shown, operation: string, patience: Patience): Promise<Shown> {
    const until = this.#now() + patience.milliseconds;
    let left = patience.requests;
    let best = first;
    const attempt = async (trail: Trail): Promise<boolean> => {
      if (left < trail.steps.length || this.#now() > until) {
        return false;
      }
      left -= trail.steps.length;
      const shown = await this.show(trail, best.failure, operation);
      if (shown) {
        best = shown;
      }
      return shown !== undefined;
    };
    // Steps first: each one less makes every further try cheaper.
    for (let at = best.trail.steps.length - 2; at >= 0; at -= 1) {
      const without = dropped(best.trail, at);
      if (without) {
        await attempt(without);
      }
    }
    for (let at = best.trail.steps.length - 1; at >= 0; at -= 1) {
      await this.#simplify(() => best, at, attempt);
    }
    return best;
  }

  async #simplify(best: () => Shown, at: number, attempt: (trail: Trail) => Promise<boolean>): Promise<void> {
    let drawn = best().trail.steps[at]?.drawn;
    while (drawn) {
      let next: Drawn<Parts> | undefined;
      let tries = 0;
      for (const simpler of drawn.simpler()) {
        tries += 1;
        if (tries > 60) {
          return;
        }
        if (await attempt(withParts(best().trail, at, simpler))) {
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
function dropped(trail: Trail, at: number): Trail | undefined {
  const needed = trail.steps
    .slice(at + 1)
    .some(({ step }) => referencesOf(step).some(({ step: n }) => n === at));
  if (needed) {
    return undefined;
  }
  const to = (n: number) => (n > at ? n - 1 : n);
  return {
    title: trail.title,
    steps: trail.steps
      .filter((_, index) => index !== at)
      .map(({ step, drawn, madeUp }) => ({
        step: renumber(step, to),
        madeUp,
        ...(drawn && { drawn: moved(drawn, to) }),
      })),
  };
}

function withParts(trail: Trail, at: number, drawn: Drawn<Parts>): Trail {
  return {
    title: trail.title,
    steps: trail.steps.map((previous, index) => {
      if (index !== at) {
        return previous;
      }
      const { operation, caller, fault } = previous.step;
      const { madeUp, ...parts } = drawn.value;
      // Properties of the step other than its draw, such as the caller, are unchanged.
      const step: Step = { ...parts, operation, caller, ...(fault && !parts.fault && { fault }) };
      return { step, drawn, madeUp };
    }),
  };
}
