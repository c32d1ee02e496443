import { type Bound, bounds, type Limit, type Part } from '../form/form.ts';
import { compareLimits } from '../form/limits.ts';
import type { PartContext } from './schema-context.ts';

/** Compares limits, patterns, formats, multiples and uniqueness of items. */
export function diffLimits(context: PartContext, base: Part, head: Part): void {
  const { direction, report } = context;
  for (const bound of new Set([...base.limits.keys(), ...head.limits.keys()])) {
    const [before, after] = [limitOf(base, bound), limitOf(head, bound)];
    const wider = compareLimits(bound, before, after);
    if (wider === 0) {
      continue;
    }
    const message = `${bound} changed from ${show(before)} to ${show(after)}.`;
    report(`${direction}-limit-${wider > 0 ? 'widened' : 'narrowed'}`, '', message);
  }
  if (base.unique !== head.unique) {
    const message = head.unique ? 'Items must be unique now.' : 'Items need not be unique now.';
    report(`${direction}-limit-${head.unique ? 'narrowed' : 'widened'}`, '', message);
  }
  diffMultiples(context, base, head);
  diffPatterns(context, base, head);
  diffFormats(context, base, head);
}

function limitOf(part: Part, bound: Bound): Limit {
  return part.limits.get(bound) ?? { value: bounds[bound].none, exclusive: false };
}

function show({ value, exclusive }: Limit): string {
  if (!Number.isFinite(value)) {
    return 'none';
  }
  return exclusive ? `${value} (exclusive)` : String(value);
}

function diffMultiples({ direction, report }: PartContext, base: Part, head: Part): void {
  // Each multiple of 10 is a multiple of 5.
  const within = (left: Part, right: Part) =>
    right.multiples.every((factor) => left.multiples.some((multiple) => Number.isInteger(multiple / factor)));
  const [narrower, wider] = [within(head, base), within(base, head)];
  if (narrower && wider) {
    return;
  }
  const message = `multipleOf changed from ${base.multiples.join(', ') || 'none'} to ${head.multiples.join(', ') || 'none'}.`;
  // Previous values stay valid only if the head allows all multiples of the base.
  report(
    `${direction}-limit-${direction === 'request' ? (wider ? 'widened' : 'narrowed') : narrower ? 'narrowed' : 'widened'}`,
    '',
    message,
  );
}

function diffPatterns({ direction, report }: PartContext, base: Part, head: Part): void {
  const removed = base.patterns.filter((pattern) => !head.patterns.includes(pattern));
  const added = head.patterns.filter((pattern) => !base.patterns.includes(pattern));
  const show = (patterns: readonly string[]) => patterns.join(' and ') || 'none';
  const message = `The pattern changed from ${show(base.patterns)} to ${show(head.patterns)}.`;
  // Whether one pattern includes another is undecided, so a different pattern is a change.
  if (removed.length > 0 && added.length > 0) {
    report(`${direction}-pattern-changed`, '', message);
  } else if (added.length > 0) {
    report(`${direction}-pattern-narrowed`, '', message);
  } else if (removed.length > 0) {
    report(`${direction}-pattern-widened`, '', message);
  }
}

/** Formats that include the values of other formats. */
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
/** Formats without constraints: they affect only presentation, or include all values of the type. */
const UNCONSTRAINED_FORMATS = new Set(['password', 'double', 'int64', 'binary']);

function diffFormats({ direction, report }: PartContext, base: Part, head: Part): void {
  // Whole numbers have no precision that `float` limits.
  const isWhole = base.integer !== head.integer;
  const constraining = ({ formats }: Part) =>
    formats.filter((format) => !UNCONSTRAINED_FORMATS.has(format) && !(isWhole && format === 'float'));
  const [before, after] = [constraining(base), constraining(head)];
  const within = (left: readonly string[], right: readonly string[]) =>
    right.every((outer) => left.some((inner) => inner === outer || contains.get(outer)?.includes(inner)));
  const [narrower, wider] = [within(after, before), within(before, after)];
  if (narrower && wider) {
    return;
  }
  const show = ({ formats }: Part) => formats.join(' and ') || 'none';
  const message = `The format changed from ${show(base)} to ${show(head)}.`;
  report(`${direction}-format-${narrower ? 'narrowed' : wider ? 'widened' : 'changed'}`, '', message);
}
