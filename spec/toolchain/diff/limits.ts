import type { Json } from '../document.ts';
import { type Bound, bounds, type Kind, type Limit } from './form.ts';
import type { Alternative } from './parts.ts';

/** Returns the limits of a kind of value that all schemas together set. */
export function limitsOf(
  kind: Kind,
  schemas: Alternative,
  isVersion30: boolean,
  integer: boolean,
): Map<Bound, Limit> {
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
    for (const [bound, { of }] of Object.entries(bounds)) {
      // The keys of a constant are exactly the bounds.
      if (of !== 'number') {
        add(bound as Bound, plain[bound]);
      }
    }
    // Exclusive bounds are booleans next to the bound in 3.0, and separate bounds in 3.1.
    add('minimum', plain.minimum, isVersion30 && plain.exclusiveMinimum === true);
    add('maximum', plain.maximum, isVersion30 && plain.exclusiveMaximum === true);
    add('minimum', plain.exclusiveMinimum, true);
    add('maximum', plain.exclusiveMaximum, true);
  }
  return limits;
}

/** Compares limits: positive if the second limit is wider, negative if it is narrower. */
export function compareLimits(bound: Bound, before: Limit, after: Limit): number {
  const wider = bounds[bound].side === 'lower' ? before.value - after.value : after.value - before.value;
  if (wider !== 0 && !Number.isNaN(wider)) {
    return wider;
  }
  return Number(before.exclusive) - Number(after.exclusive);
}
