import type * as Vm from 'node:vm';

/**
 * Time for all comparisons of texts with the patterns of a contract in one turn of the event loop, except those that are
 * known to be fast. Together they cannot delay other requests for longer.
 */
export const PATTERN_TIMEOUT_MS = 250;

/** Number of comparisons of one pattern outside a server that can exceed the timeout before it matches nothing. */
export const MAX_EXPIRED_COMPARISONS = 3;

/** Steps of automata in one turn of the event loop that need no deadline: they take about 50 ms. */
export const MAX_DIRECT_STEPS = 5_000_000;

/** Result of a comparison: undefined if its time was over first. */
export type Outcome = boolean | undefined;

/**
 * Compares a text with a pattern before a deadline.
 *
 * @param steps maximum number of steps; infinite if it is unknown
 * @returns undefined if the time was over first
 */
export type Deadline = (compare: () => boolean, steps: number) => Outcome;

let spentMs = 0;
let steps = 0;
let isScheduled = false;

/** The deadline of servers: {@link PATTERN_TIMEOUT_MS} for everything in a turn of the event loop. */
export const turnDeadline: Deadline = (compare, maxSteps) => {
  if (!isScheduled) {
    isScheduled = true;
    setImmediate(() => {
      spentMs = 0;
      steps = 0;
      isScheduled = false;
    }).unref();
  }
  steps += maxSteps;
  if (steps <= MAX_DIRECT_STEPS) {
    return compare();
  }
  const start = performance.now();
  try {
    return interruptible(compare, PATTERN_TIMEOUT_MS - spentMs);
  } finally {
    spentMs += performance.now() - start;
  }
};

/**
 * Creates the deadline of a program that chooses the texts itself, and compares many of them in a turn:
 * {@link PATTERN_TIMEOUT_MS} for each.
 */
export function createOwnDeadline(): Deadline {
  let expired = 0;
  return (compare, maxSteps) => {
    if (maxSteps <= MAX_DIRECT_STEPS) {
      return compare();
    }
    const outcome =
      expired < MAX_EXPIRED_COMPARISONS ? interruptible(compare, PATTERN_TIMEOUT_MS) : undefined;
    expired += outcome === undefined ? 1 : 0;
    return outcome;
  };
}

/** Returns whether this runtime can interrupt a comparison. Browsers cannot. */
export const canInterrupt = (): boolean => scriptOf() !== undefined;

/** The work of the script: a global symbol, because a script has no arguments. */
const WORK = Symbol.for('colophon.comparison');

interface Scope {
  [WORK]?: (() => boolean) | undefined;
}

function interruptible(compare: () => boolean, timeoutMs: number): Outcome {
  const script = scriptOf();
  const timeout = Math.floor(timeoutMs);
  if (script === undefined || timeout < 1) {
    return undefined;
  }
  // A property of its own, which nothing else reads.
  const scope = globalThis as Scope;
  scope[WORK] = compare;
  try {
    // The script returns the result of `compare`.
    return script.runInThisContext({ timeout }) as boolean;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      return undefined;
    }
    throw error;
  } finally {
    scope[WORK] = undefined;
  }
}

let cached: { script: Vm.Script | undefined } | undefined;

function scriptOf(): Vm.Script | undefined {
  if (cached === undefined) {
    const vm: typeof Vm | undefined = globalThis.process?.getBuiltinModule?.('node:vm');
    cached = { script: vm && new vm.Script(`globalThis[Symbol.for('colophon.comparison')]()`) };
  }
  return cached.script;
}
