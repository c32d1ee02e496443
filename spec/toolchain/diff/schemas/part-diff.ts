import { listed } from '../../report/text.ts';
import { allowed } from '../form/canonical.ts';
import type { Part, Schema } from '../form/form.ts';
import { isWithinConstraints } from '../form/limits.ts';
import { constrains, placeOf } from '../form/origin.ts';
import { itemsAt } from '../location.ts';
import { isSameKeyword } from './keyword-diff.ts';
import { diffLimits } from './limit-diff.ts';
import { diffObjects } from './object-diff.ts';
import type { PartContext, SchemaContext } from './schema-context.ts';

/**
 * Compares two parts of the same kind and their nested schemas.
 * @param variant location of the parts in their schema, if they are variants of a union
 */
export function diffParts(context: SchemaContext, base: Part, head: Part, variant: string): void {
  const parts: [Part, Part] = [base, head];
  const partContext: PartContext = {
    base: context.base,
    head: context.head,
    direction: context.direction,
    report(rule, path, message, declares = constrains) {
      const place = placeOf(parts, declares, path, variant);
      context.report(rule, place.path, message, place.origin);
    },
    compare(one, other, path, declares) {
      const place = placeOf(parts, declares, path, variant);
      context.compare(one, other, place.path, place.origin);
    },
  };
  if (base.values !== undefined || head.values !== undefined) {
    diffValues(partContext, base, head);
    return;
  }
  diffLimits(partContext, base, head);
  if (base.kind === 'array') {
    const length = Math.max(base.prefix.length, head.prefix.length);
    for (let index = 0; index < length; index += 1) {
      const [one, other] = [base.prefix[index] ?? base.items, head.prefix[index] ?? head.items];
      partContext.compare(one, other, itemsAt('', index), ({ prefixItems }) => prefixItems !== undefined);
    }
    partContext.compare(base.items, head.items, itemsAt(''), ({ items }) => items !== undefined);
  }
  if (base.kind === 'object') {
    diffObjects(partContext, base, head);
  }
  for (const keyword of new Set([...base.other.keys(), ...head.other.keys()])) {
    if (isSameKeyword(context, keyword, base.other.get(keyword), head.other.get(keyword))) {
      continue;
    }
    partContext.report(
      `${context.direction}-keyword-changed`,
      '',
      `The keyword "${keyword}" changed.`,
      (plain) => plain[keyword] !== undefined,
    );
  }
  diffFactors(context, base, head, variant);
}

/** Compares unions that are not combined, each with the one at its place or of its name. */
function diffFactors(context: SchemaContext, base: Part, head: Part, variant: string): void {
  const componentNameOf = (reader: SchemaContext['base'], schema: Schema) =>
    reader.nameOf(reader.follow(schema));
  const rest = [...head.factors];
  const unmatched: Schema[] = [];
  for (const factor of base.factors) {
    const name = componentNameOf(context.base, factor);
    const index =
      name === undefined ? -1 : rest.findIndex((other) => componentNameOf(context.head, other) === name);
    const [other] = index < 0 ? [] : rest.splice(index, 1);
    if (other === undefined) {
      unmatched.push(factor);
    } else {
      context.compare(factor, other, variant);
    }
  }
  for (const factor of unmatched) {
    const other = rest.shift();
    if (other !== undefined) {
      context.compare(factor, other, variant);
    }
  }
  if (base.factors.length !== head.factors.length) {
    const count = `from ${base.factors.length} to ${head.factors.length}`;
    context.report(
      `${context.direction}-keyword-changed`,
      variant,
      `The number of unions that apply together changed ${count}.`,
    );
  }
}

function diffValues({ direction, report }: PartContext, base: Part, head: Part): void {
  const [before, after] = [base.values, head.values];
  if (before === undefined || after === undefined) {
    const values = [...(after ?? before ?? [])];
    const only = listed(values);
    // Values that the patterns and limits of the other schema exclude are no special case of it.
    const isCase = values.every((value) => isWithinConstraints(JSON.parse(value), after ? base : head));
    const shift = isCase ? (after ? 'narrowed' : 'widened') : 'changed';
    const subject = after ? 'Only these values' : 'Other values than these';
    report(`${direction}-enum-${shift}`, '', `${subject} are ${allowed(direction)} now: ${only}.`);
    return;
  }
  for (const value of before) {
    if (!after.has(value)) {
      report(`${direction}-enum-narrowed`, '', `The value ${value} is no longer ${allowed(direction)}.`);
    }
  }
  for (const value of after) {
    if (!before.has(value)) {
      report(`${direction}-enum-widened`, '', `The value ${value} is ${allowed(direction)} now.`);
    }
  }
}
