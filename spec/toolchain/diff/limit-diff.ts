import { type Bound, bounds, type Limit, type Part } from './form.ts';
import { compareLimits } from './parts.ts';
import type { SchemaContext } from './schema-diff.ts';

/** Compares what bounds texts, numbers and sizes: limits, patterns, formats, multiples, and whether items differ. */
export function diffLimits(context: SchemaContext, base: Part, head: Part, where: string): void {
  const { direction, tell } = context;
  for (const bound of new Set([...base.limits.keys(), ...head.limits.keys()])) {
    const [before, after] = [limitOf(base, bound), limitOf(head, bound)];
    const wider = compareLimits(bound, before, after);
    if (wider === 0) continue;
    const message = `${bound} changed from ${show(before)} to ${show(after)}.`;
    tell(`${direction}-limit-${wider > 0 ? 'widened' : 'narrowed'}`, where, message);
  }
  if (base.unique !== head.unique) {
    const message = head.unique ? 'The items must differ now.' : 'The items may be alike now.';
    tell(`${direction}-limit-${head.unique ? 'narrowed' : 'widened'}`, where, message);
  }
  diffMultiples(context, base, head, where);
  diffPatterns(context, base, head, where);
  diffFormats(context, base, head, where);
}

function limitOf(part: Part, bound: Bound): Limit {
  return part.limits.get(bound) ?? { value: bounds[bound].none, exclusive: false };
}

function show({ value, exclusive }: Limit): string {
  if (!Number.isFinite(value)) return 'none';
  return exclusive ? `${value} (exclusive)` : String(value);
}

function diffMultiples({ direction, tell }: SchemaContext, base: Part, head: Part, where: string): void {
  // Any multiple of 10 is one of 5.
  const within = (one: Part, other: Part) =>
    other.multiples.every((factor) => one.multiples.some((multiple) => Number.isInteger(multiple / factor)));
  const [narrower, wider] = [within(head, base), within(base, head)];
  if (narrower && wider) return;
  const message = `multipleOf changed from ${base.multiples.join(', ') || 'none'} to ${head.multiples.join(', ') || 'none'}.`;
  // A value that was allowed may not be any more unless the head takes all multiples of the base.
  tell(
    `${direction}-limit-${direction === 'request' ? (wider ? 'widened' : 'narrowed') : narrower ? 'narrowed' : 'widened'}`,
    where,
    message,
  );
}

function diffPatterns({ direction, tell }: SchemaContext, base: Part, head: Part, where: string): void {
  const removed = base.patterns.filter((pattern) => !head.patterns.includes(pattern));
  const added = head.patterns.filter((pattern) => !base.patterns.includes(pattern));
  const show = (patterns: readonly string[]) => patterns.join(' and ') || 'none';
  const message = `The pattern changed from ${show(base.patterns)} to ${show(head.patterns)}.`;
  // Whether one pattern allows all that another does is not decided here, so a changed pattern counts as another.
  if (removed.length > 0 && added.length > 0) tell(`${direction}-pattern-changed`, where, message);
  else if (added.length > 0) tell(`${direction}-pattern-narrowed`, where, message);
  else if (removed.length > 0) tell(`${direction}-pattern-widened`, where, message);
}

/** Formats, and those whose values are among theirs. */
const contains: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    double: ['float', 'int32', 'int16', 'int8', 'uint32', 'uint16', 'uint8'],
    float: ['int16', 'int8', 'uint16', 'uint8'],
    int64: ['int32', 'int16', 'int8', 'uint32', 'uint16', 'uint8'],
    int32: ['int16', 'int8', 'uint16', 'uint8'],
    int16: ['int8', 'uint8'],
    uint64: ['uint32', 'uint16', 'uint8'],
    uint32: ['uint16', 'uint8'],
    uint16: ['uint8'],
    'uri-reference': ['uri'],
    'iri-reference': ['uri-reference', 'uri', 'iri'],
    iri: ['uri'],
    'idn-email': ['email'],
    'idn-hostname': ['hostname'],
  }),
);
/** Formats that bound nothing: they say how to show a value, or name all that the type has anyway. */
const free = new Set(['password', 'double', 'int64', 'binary']);

function diffFormats({ direction, tell }: SchemaContext, base: Part, head: Part, where: string): void {
  const bounding = ({ formats }: Part) => formats.filter((format) => !free.has(format));
  const [before, after] = [bounding(base), bounding(head)];
  const within = (one: readonly string[], other: readonly string[]) =>
    other.every((outer) => one.some((inner) => inner === outer || contains.get(outer)?.includes(inner)));
  const [narrower, wider] = [within(after, before), within(before, after)];
  if (narrower && wider) return;
  const show = ({ formats }: Part) => formats.join(' and ') || 'none';
  const message = `The format changed from ${show(base)} to ${show(head)}.`;
  tell(`${direction}-format-${narrower ? 'narrowed' : wider ? 'widened' : 'changed'}`, where, message);
}
