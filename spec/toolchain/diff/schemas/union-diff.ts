import { listed } from '../../report/text.ts';
import { allowed } from '../form/canonical.ts';
import type { Form, Kind, Part } from '../form/form.ts';
import type { Origin } from '../form/origin.ts';
import { variantAt } from '../location.ts';
import type { Direction } from '../rules/rule.ts';
import { type RuleId, ruleOf } from '../rules/rules.ts';
import { diffParts } from './part-diff.ts';
import type { SchemaContext } from './schema-context.ts';
import { type Containment, isComparable, type RegroupedMatch, regroup } from './union-split.ts';
import { labelOf, type Match, matchParts } from './variants.ts';

/** Parts of one kind of both schemas. */
interface Variants {
  before: readonly Part[];
  after: readonly Part[];
}

/** Compares the parts of one kind; several parts are variants of a union. */
export function diffKind(context: SchemaContext, base: Form, head: Form, kind: Kind): void {
  const ofKind = (form: Form) => form.parts.filter((part) => part.kind === kind);
  const [before, after] = [ofKind(base), ofKind(head)];
  const [only, single] = [before[0], after[0]];
  // Added and removed kinds are already reported with the types.
  if (only === undefined || single === undefined) {
    return;
  }
  if (before.length === 1 && after.length === 1) {
    diffParts(context, only, single, '');
    return;
  }
  const variants = { before, after };
  const matched = matchParts(context, base, head, before, after);
  const containment = containmentOf(context, matched, variants);
  const match = regroup(matched, before, after, containment);
  for (const [one, other] of match.pairs) {
    const label = labelOf(context.head, other, after);
    diffParts(context, one, other, kind === 'object' ? variantAt('', label) : '');
  }
  reportRegrouped(context, match, variants, containment);
  reportVariants(context, match, variants, containment);
  reportAmbiguous(context, matched, isAmbiguous(base), isAmbiguous(head), variants, containment);
  const isUnion = before.length > 1 && after.length > 1;
  if (isUnion && base.exclusive !== head.exclusive && !match.distinct) {
    const kindOf = (form: Form) => (form.exclusive ? 'oneOf' : 'anyOf');
    context.report('union-kind-changed', '', `The union changed from ${kindOf(base)} to ${kindOf(head)}.`);
  }
}

/** Whether a value must match exactly one variant, and no discriminator selects it. */
const isAmbiguous = ({ exclusive, discriminator }: Form): boolean => exclusive && discriminator === undefined;

/** Compares removed and added variants with all others, unless they are too many. */
function containmentOf(context: SchemaContext, match: Match, { before, after }: Variants): Containment {
  if (!isComparable(match, before, after)) {
    context.limit(
      `${match.removed.length} of ${before.length} variants were removed, and ${match.added.length} of ` +
        `${after.length} added. They are too many to determine which others include them.`,
    );
    const unknown = () => false;
    return { isEqual: unknown, isHeadWithin: unknown, isBaseWithin: unknown, isBaseAccepted: unknown };
  }
  const fits = (base: Part, head: Part, direction: Direction, test: (rule: RuleId) => boolean) =>
    context.everyRule(direction, (inDirection) => diffParts(inDirection, base, head, ''), test);
  return {
    isEqual: (base, head) => fits(base, head, 'request', () => false),
    isHeadWithin: (base, head) => fits(base, head, 'response', isHarmless),
    isBaseWithin: (base, head) => fits(base, head, 'request', isHarmless),
    isBaseAccepted: (base, head) =>
      fits(base, head, 'request', (rule) => isHarmless(rule) || rule === 'request-property-ignored'),
  };
}

/** Whether a change has no effect on existing clients. */
function isHarmless(rule: RuleId): boolean {
  const { level, affects } = ruleOf(rule);
  return level === 'safe' || (level === 'risky' && affects === 'servers');
}

/** Reports variants that were replaced with special cases of them, and the opposite. */
function reportRegrouped(
  { base, head, direction, report }: SchemaContext,
  { splits, merges }: RegroupedMatch,
  { before, after }: Variants,
  { isBaseWithin }: Containment,
): void {
  for (const { whole, parts } of splits) {
    const name = before.length === 1 ? 'It' : `The variant ${labelOf(base, whole, before)}`;
    const labels = listed(parts.map((part) => labelOf(head, part, after)));
    const message = `${name} became a union of ${labels}, which allow only values that were allowed before.`;
    report(`${direction}-variant-narrowed`, '', message);
  }
  for (const { whole, parts } of merges) {
    const name = after.length === 1 ? 'one schema' : labelOf(head, whole, after);
    const labels = listed(parts.map((part) => labelOf(base, part, before)));
    const message = `The union of ${labels} became ${name}, which allows all of their values`;
    if (direction === 'response' || parts.every((part) => isBaseWithin(part, whole))) {
      report(`${direction}-variant-widened`, '', `${message}.`);
    } else {
      report('request-property-ignored', '', `${message}, but does not declare all of their properties.`);
    }
  }
}

/** Reports removed and added variants. */
function reportVariants(
  { base, head, direction, report }: SchemaContext,
  match: RegroupedMatch,
  { before, after }: Variants,
  { isEqual, isHeadWithin, isBaseWithin, isBaseAccepted }: Containment,
): void {
  const { pairs, splits, merges } = match;
  const removed = match.removed.filter((part) => !after.some((other) => isEqual(part, other)));
  const added = match.added.filter((part) => !before.some((other) => isEqual(other, part)));
  const isAccepted = (part: Part) =>
    direction === 'request' && after.some((other) => isBaseAccepted(part, other));
  const isReplaced =
    pairs.length + splits.length + merges.length === 0 &&
    removed.length + added.length > 0 &&
    !(removed.length > 0 && removed.every(isAccepted));
  if (isReplaced && (before.length === 1 || after.length === 1)) {
    const [one, other] = [
      listed(before.map((part) => labelOf(base, part, before))),
      listed(after.map((part) => labelOf(head, part, after))),
    ];
    report(`${direction}-variant-changed`, '', `It changed from ${one} to ${other}.`);
    return;
  }
  const retained: Variants = {
    before: before.filter((part) => !removed.includes(part)),
    after: after.filter((part) => !added.includes(part)),
  };
  const isRemovalCovered = (part: Part) => after.some((other) => isBaseWithin(part, other));
  const isAdditionCovered = (part: Part) => before.some((other) => isHeadWithin(other, part));
  for (const part of removed.filter(isRemovalCovered)) {
    const message = `The variant ${labelOf(base, part, before)} was removed; another variant allows its values.`;
    report('variant-covered', '', message, originOfVariant(part, retained).origin);
  }
  for (const part of added.filter(isAdditionCovered)) {
    const message = `The variant ${labelOf(head, part, after)} was added; another variant allowed its values already.`;
    report('variant-covered', '', message, originOfVariant(part, retained).origin);
  }
  const uncovered = removed.filter((part) => !isRemovalCovered(part));
  for (const part of uncovered.filter(isAccepted)) {
    const message = `The variant ${labelOf(base, part, before)} was removed; another variant allows its values, but does not declare all of its properties.`;
    report('request-property-ignored', '', message, originOfVariant(part, retained).origin);
  }
  const removals = uncovered.filter((part) => !isAccepted(part));
  const labelBefore = (part: Part) => labelOf(base, part, before);
  for (const { label, origin } of groupVariants(removals, retained, labelBefore, after.length === 1)) {
    const message = `The variant ${label} is no longer ${allowed(direction)}.`;
    report(`${direction}-variant-narrowed`, '', message, origin);
  }
  const additions = added.filter((part) => !isAdditionCovered(part));
  const labelAfter = (part: Part) => labelOf(head, part, after);
  for (const { label, origin } of groupVariants(additions, retained, labelAfter, before.length === 1)) {
    report(`${direction}-variant-widened`, '', `The variant ${label} is ${allowed(direction)} now.`, origin);
  }
}

/**
 * Reports values that matched one variant of `oneOf` and match several now, so that they are no longer valid; and in
 * responses the opposite.
 */
function reportAmbiguous(
  { base, head, direction, report }: SchemaContext,
  { added, removed }: Match,
  isBaseAmbiguous: boolean,
  isHeadAmbiguous: boolean,
  { before, after }: Variants,
  { isBaseAccepted, isHeadWithin }: Containment,
): void {
  const isRequest = direction === 'request';
  const [from, to] = isRequest ? [before, after] : [after, before];
  if (!(isRequest ? isHeadAmbiguous : isBaseAmbiguous) || to.length < 2) {
    return;
  }
  const [reader, others] = isRequest ? [base, head] : [head, base];
  const changed = isRequest ? added : removed;
  for (const part of from) {
    const matching = to.filter((other) =>
      isRequest ? isBaseAccepted(part, other) : isHeadWithin(other, part),
    );
    // The values of variants that both unions have matched several of them before.
    const isNew = from.length === 1 || matching.some((other) => changed.includes(other));
    if (matching.length < 2 || !isNew) {
      continue;
    }
    const labels = listed(matching.map((other) => labelOf(others, other, to)));
    const values = from.length === 1 ? 'Its values' : `The values of ${labelOf(reader, part, from)}`;
    report(
      isRequest ? 'request-variant-narrowed' : 'response-variant-widened',
      '',
      isRequest
        ? `${values} match several variants of oneOf, which is not allowed: ${labels}.`
        : `${values} matched several variants of oneOf, which was not allowed: ${labels}.`,
    );
  }
}

/**
 * Groups variants by the union that was added or removed as a whole.
 * @param isNewUnion whether the other schema is no union, so that all variants are one change
 */
function groupVariants(
  parts: readonly Part[],
  retained: Variants,
  labelOfPart: (part: Part) => string,
  isNewUnion: boolean,
): { label: string; origin?: Origin }[] {
  const groups = new Map<string, { label: string; origin?: Origin }>();
  for (const part of parts) {
    const { union, origin } = originOfVariant(part, retained);
    const label = union ?? labelOfPart(part);
    groups.set(JSON.stringify([label, origin]), { label, ...(origin && { origin }) });
  }
  const list = [...groups.values()];
  return isNewUnion && list.length > 1 ? [{ label: listed(list.map(({ label }) => label)) }] : list;
}

/**
 * Returns the union that a variant was added to or removed from, and the outermost union that was added or removed
 * with it.
 */
function originOfVariant(part: Part, { before, after }: Variants): { union?: string; origin?: Origin } {
  const isIn = (variants: readonly Part[], name: string) =>
    variants.some(({ unions }) => unions.includes(name));
  const union = part.unions.find((name) => !isIn(before, name) && !isIn(after, name));
  const schema = part.unions.findLast((name) => isIn(before, name) && isIn(after, name));
  return {
    ...(union !== undefined && { union }),
    ...(schema !== undefined && { origin: { schema, path: '' } }),
  };
}
