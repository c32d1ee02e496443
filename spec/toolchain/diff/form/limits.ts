import { patternOf } from '../../../../server/contract/validation/patterns/patterns.ts';
import type { Json } from '../../document.ts';
import { type Alternative, type Bound, bounds, type Kind, type Limit, type Part } from './form.ts';

/** Returns the limits of a kind of value that all schemas together set. */
export function limitsOf(
  kind: Kind,
  schemas: Alternative,
  isVersion30: boolean,
  integer: boolean,
): ReadonlyMap<Bound, Limit> {
  if (!limitedKinds.has(kind)) {
    return none;
  }
  const limits = new Map<Bound, Limit>();
  function add(bound: Bound, value: Json | undefined, exclusive = false): void {
    const { side, none, of } = bounds[bound];
    if (typeof value !== 'number' || of !== kind) {
      return;
    }
    // For integers, more than 3 is at least 4.
    const whole = exclusive && integer;
    const step = side === 'lower' ? 1 : -1;
    const limit = whole
      ? { value: (side === 'lower' ? Math.floor(value) : Math.ceil(value)) + step, exclusive: false }
      : { value, exclusive };
    if (limit.value === none) {
      return;
    }
    const before = limits.get(bound);
    if (before === undefined || compareLimits(bound, before, limit) < 0) {
      limits.set(bound, limit);
    }
  }
  for (const plain of schemas) {
    for (const bound of sizes) {
      add(bound, plain[bound]);
    }
    // Exclusive bounds are booleans next to the bound in 3.0, and separate bounds in 3.1.
    add('minimum', plain.minimum, isVersion30 && plain.exclusiveMinimum === true);
    add('maximum', plain.maximum, isVersion30 && plain.exclusiveMaximum === true);
    add('minimum', plain.exclusiveMinimum, true);
    add('maximum', plain.exclusiveMaximum, true);
  }
  return limits;
}

const limitedKinds: ReadonlySet<Kind> = new Set(Object.values(bounds).map(({ of }) => of));
// The keys of a constant are exactly the bounds.
const sizes = (Object.keys(bounds) as Bound[]).filter((bound) => bounds[bound].of !== 'number');
const none: ReadonlyMap<Bound, Limit> = new Map();

/** Whether no value is within the limits, a common notation for properties that must be omitted. */
export function isEmptyRange(kind: Kind, limits: ReadonlyMap<Bound, Limit>): boolean {
  if (limits.size < 2) {
    return false;
  }
  const ofSide = (side: 'lower' | 'upper') =>
    [...limits].find(([bound]) => bounds[bound].of === kind && bounds[bound].side === side)?.[1].value;
  const [lower, upper] = [ofSide('lower'), ofSide('upper')];
  return lower !== undefined && upper !== undefined && lower > upper;
}

/** Whether a value is within the limits and patterns of a part. */
export function isWithinConstraints(value: Json, { limits, patterns }: Part): boolean {
  const size = typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : value;
  const isWithin = ([bound, limit]: [Bound, Limit]) =>
    typeof size !== 'number' || compareLimits(bound, { value: size, exclusive: false }, limit) >= 0;
  return [...limits].every(isWithin) && patterns.every((pattern) => matchesPattern(String(value), pattern));
}

function matchesPattern(text: string, pattern: string): boolean {
  try {
    return patternOf(pattern, { deadline: 'comparison' }).test(text);
  } catch {
    // Patterns of other dialects are not interpreted.
    return true;
  }
}

/** Compares limits: positive if the second limit is wider, negative if it is narrower. */
export function compareLimits(bound: Bound, before: Limit, after: Limit): number {
  const wider = bounds[bound].side === 'lower' ? before.value - after.value : after.value - before.value;
  if (wider !== 0 && !Number.isNaN(wider)) {
    return wider;
  }
  return Number(before.exclusive) - Number(after.exclusive);
}
