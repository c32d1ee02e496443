import { isDeepStrictEqual } from 'node:util';
import { canonical, listed } from './canonical.ts';
import type { ReportChange } from './change.ts';
import { type Atom, atoms, atomsOf, type Form, isFree, type Kind, type Part, type Schema } from './form.ts';
import type { FormReader } from './form-reader.ts';
import { diffLimits } from './limit-diff.ts';
import { itemsAt, variantAt } from './location.ts';
import { diffObjects } from './object-diff.ts';
import type { Direction } from './rule.ts';
import { labelOf, matchParts } from './variants.ts';

/** Context for comparing schemas. */
export interface SchemaContext {
  base: FormReader;
  head: FormReader;
  direction: Direction;
  /** Whether values are text, as in parameters and headers, where 5 is also a string. */
  text: boolean;
  report: ReportChange;
  /** Compares nested schemas. */
  compare(base: Schema, head: Schema, location: string): void;
}

/** Compares two schemas and their nested schemas. */
export type SchemaDiff = (
  base: Schema,
  head: Schema,
  options: { direction: Direction; text?: boolean; location: string; report: ReportChange },
) => void;

/**
 * Creates the comparison of schemas of two documents. Each call compares a pair of schemas only once, at its first
 * location: recursive schemas terminate, and changes of a schema that a body uses repeatedly are reported once.
 */
export function createSchemaDiff(base: FormReader, head: FormReader): SchemaDiff {
  // Pairs without differences in them and their nested schemas: most pairs of two versions of a contract.
  const equal = new Set<string>();
  return (baseSchema, headSchema, { direction, text = false, location, report }) => {
    const visited = new Set<string>();
    // Breadth first: changes of a recursive schema are reported at the outermost location.
    const queue: (() => void)[] = [];
    let changeCount = 0;
    const context: SchemaContext = {
      base,
      head,
      direction,
      text,
      report(rule, location, message) {
        changeCount += 1;
        report(rule, location, message);
      },
      compare(one, other, location) {
        const pair = `${base.identify(one)} ${head.identify(other)} ${direction} ${text}`;
        if (visited.has(pair) || equal.has(pair)) {
          return;
        }
        visited.add(pair);
        queue.push(() => diffForms(context, base.form(one), head.form(other), location));
      },
    };
    context.compare(baseSchema, headSchema, location);
    for (const next of queue) {
      next();
    }
    if (changeCount === 0) {
      for (const pair of visited) {
        equal.add(pair);
      }
    }
  };
}

function diffForms(context: SchemaContext, base: Form, head: Form, location: string): void {
  const { direction, report } = context;
  if (!isDeepStrictEqual(base.default, head.default)) {
    const value = (form: Form) => (form.default === undefined ? 'none' : canonical(form.default));
    report(
      `${direction}-default-changed`,
      location,
      `The default changed from ${value(base)} to ${value(head)}.`,
    );
  }
  if (head.deprecated && !base.deprecated) {
    report('property-deprecated', location, 'It is deprecated.');
  }
  if (base.discriminator?.property !== head.discriminator?.property) {
    const name = (form: Form) => (form.discriminator ? `"${form.discriminator.property}"` : 'none');
    report(
      'discriminator-changed',
      location,
      `The discriminator changed from ${name(base)} to ${name(head)}.`,
    );
  }
  diffTypes(context, base, head, location);
  for (const kind of ['boolean', 'number', 'string', 'array', 'object'] as const) {
    diffKind(context, base, head, kind, location);
  }
}

/** Compares types and nullability. */
function diffTypes(
  { direction, text, report }: SchemaContext,
  base: Form,
  head: Form,
  location: string,
): void {
  const [before, after] = [typesOf(base), typesOf(head)];
  const removed = before.filter((type) => !allows(head, type, text));
  const added = after.filter((type) => !allows(base, type, text));
  const change = `The type changed from ${name(base)} to ${name(head)}.`;
  if (removed.length > 0 && added.length > 0) {
    report(`${direction}-type-changed`, location, change);
  } else if (removed.length > 0) {
    report(`${direction}-type-narrowed`, location, change);
  } else if (added.length > 0) {
    report(`${direction}-type-widened`, location, change);
  }
  // Changes of null together with other types are already reported.
  if (base.nullable && !head.nullable && removed.length === 0) {
    report(`${direction}-null-narrowed`, location, `null is no longer ${allowed(direction)}.`);
  }
  if (!base.nullable && head.nullable && added.length === 0) {
    report(`${direction}-null-widened`, location, `null is ${allowed(direction)} now.`);
  }
}

/** Types without null. */
function typesOf(form: Form): Atom[] {
  return [...atomsOf(form)].filter((atom) => atom !== 'null');
}

/** Whether values of a type are allowed. As text, values other than arrays and objects are also strings. */
function allows(form: Form, type: Atom, text: boolean): boolean {
  const types = atomsOf(form);
  if (types.has(type)) {
    return true;
  }
  return (
    text &&
    type !== 'array' &&
    type !== 'object' &&
    form.parts.some((part) => part.kind === 'string' && isFree(part))
  );
}

function name(form: Form): string {
  const types = atomsOf(form);
  if (types.size === atoms.length) {
    return 'anything';
  }
  if (types.size === 0) {
    return 'nothing';
  }
  const number = types.has('fraction');
  return atoms
    .filter((atom) => types.has(atom) && !(number && atom === 'integer'))
    .map((atom) => (atom === 'fraction' ? 'number' : atom))
    .join(' or ');
}

function diffKind(context: SchemaContext, base: Form, head: Form, kind: Kind, location: string): void {
  const ofKind = (form: Form) => form.parts.filter((part) => part.kind === kind);
  const [before, after] = [ofKind(base), ofKind(head)];
  // Added and removed kinds are already reported with the types.
  if (before.length === 0 || after.length === 0) {
    return;
  }
  const { direction, report } = context;
  const { pairs, removed, added, distinct } = matchParts(context, base, head, before, after);
  const union = before.length > 1 || after.length > 1;
  for (const [one, other] of pairs) {
    const label = union ? variantAt(location, labelOf(other, after)) : location;
    diffParts(context, one, other, kind === 'object' ? label : location);
  }
  for (const part of removed) {
    const message = `The variant ${labelOf(part, before)} is no longer ${allowed(direction)}.`;
    report(`${direction}-variant-narrowed`, location, message);
  }
  for (const part of added) {
    report(
      `${direction}-variant-widened`,
      location,
      `The variant ${labelOf(part, after)} is ${allowed(direction)} now.`,
    );
  }
  if (before.length > 1 && after.length > 1 && base.exclusive !== head.exclusive && !distinct) {
    const kindOf = (form: Form) => (form.exclusive ? 'oneOf' : 'anyOf');
    report('union-kind-changed', location, `The union changed from ${kindOf(base)} to ${kindOf(head)}.`);
  }
}

function diffParts(context: SchemaContext, base: Part, head: Part, location: string): void {
  if (base.values !== undefined || head.values !== undefined) {
    diffValues(context, base, head, location);
    return;
  }
  diffLimits(context, base, head, location);
  if (base.kind === 'array') {
    context.compare(base.items, head.items, itemsAt(location));
  }
  if (base.kind === 'object') {
    diffObjects(context, base, head, location);
  }
  for (const keyword of new Set([...base.other.keys(), ...head.other.keys()])) {
    if (isDeepStrictEqual(base.other.get(keyword), head.other.get(keyword))) {
      continue;
    }
    context.report(`${context.direction}-keyword-changed`, location, `The keyword "${keyword}" changed.`);
  }
}

function diffValues(
  { direction, report }: SchemaContext,
  { values: before }: Part,
  { values: after }: Part,
  location: string,
): void {
  if (before === undefined || after === undefined) {
    const only = listed([...(after ?? before ?? [])]);
    if (after) {
      report(
        `${direction}-enum-narrowed`,
        location,
        `Only these values are ${allowed(direction)} now: ${only}.`,
      );
    } else {
      report(
        `${direction}-enum-widened`,
        location,
        `Other values than these are ${allowed(direction)} now: ${only}.`,
      );
    }
    return;
  }
  for (const value of before) {
    if (after.has(value)) {
      continue;
    }
    report(`${direction}-enum-narrowed`, location, `The value ${value} is no longer ${allowed(direction)}.`);
  }
  for (const value of after) {
    if (before.has(value)) {
      continue;
    }
    report(`${direction}-enum-widened`, location, `The value ${value} is ${allowed(direction)} now.`);
  }
}

/** Participle for the allowed values of a direction. */
export function allowed(direction: Direction): string {
  return direction === 'request' ? 'accepted' : 'sent';
}
