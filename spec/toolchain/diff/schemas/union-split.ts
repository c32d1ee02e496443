import type { Part } from '../form/form.ts';
import type { Match } from './variants.ts';

/** Largest number of comparisons of removed and added variants with all variants of the other schema. */
const MAX_COMPARISONS = 4096;

/** Variants of one schema that together are a variant of the other. */
export interface Regrouping {
  whole: Part;
  parts: Part[];
}

/** Match that separates the variants that were split or merged. */
export interface RegroupedMatch extends Match {
  /** Variants of the base that were replaced with several special cases. */
  splits: Regrouping[];
  /** Variants of the head that replace several special cases. */
  merges: Regrouping[];
}

/** How the values of two parts are related. */
export interface Containment {
  /** Whether both allow the same values: their names are not transmitted. */
  isEqual(base: Part, head: Part): boolean;
  /** Whether the base allows all values of the head. */
  isHeadWithin(base: Part, head: Part): boolean;
  /** Whether the head allows all values of the base, and declares their properties. */
  isBaseWithin(base: Part, head: Part): boolean;
  /** Whether the head allows all values of the base, but may ignore some of their properties. */
  isBaseAccepted(base: Part, head: Part): boolean;
}

/** Finds the variants that were split into special cases, and special cases that were merged. */
export function regroup(
  match: Match,
  before: readonly Part[],
  after: readonly Part[],
  { isHeadWithin, isBaseWithin, isBaseAccepted }: Containment,
): RegroupedMatch {
  const result: RegroupedMatch = { ...match, splits: [], merges: [] };
  const isSame = (one: Part, other: Part) => one.name !== undefined && one.name === other.name;
  // An object without properties allows all others, which are not the same although they require no property.
  const isEqual = (one: Part, other: Part) => (one.properties.size === 0) === (other.properties.size === 0);
  for (const whole of before) {
    if (result.added.length === 0) {
      break;
    }
    const pair = result.pairs.find(([one]) => one === whole);
    const parts = [...(pair ? [pair[1]] : []), ...result.added].filter((part) => isHeadWithin(whole, part));
    const isWhole = (part: Part) =>
      isSame(whole, part) || (isBaseWithin(whole, part) && isEqual(whole, part));
    if (parts.length > 1 && (!pair || parts.includes(pair[1])) && !parts.some(isWhole)) {
      result.splits.push({ whole, parts });
      result.pairs = result.pairs.filter((other) => other !== pair);
      result.removed = result.removed.filter((part) => part !== whole);
      result.added = result.added.filter((part) => !parts.includes(part));
    }
  }
  for (const whole of after) {
    if (result.removed.length === 0) {
      break;
    }
    const pair = result.pairs.find(([, other]) => other === whole);
    const parts = [...(pair ? [pair[0]] : []), ...result.removed].filter((part) =>
      isBaseAccepted(part, whole),
    );
    const isWhole = (part: Part) =>
      isSame(whole, part) || (isHeadWithin(part, whole) && isEqual(whole, part));
    if (parts.length > 1 && (!pair || parts.includes(pair[0])) && !parts.some(isWhole)) {
      result.merges.push({ whole, parts });
      result.pairs = result.pairs.filter((other) => other !== pair);
      result.added = result.added.filter((part) => part !== whole);
      result.removed = result.removed.filter((part) => !parts.includes(part));
    }
  }
  return result;
}

/** Whether the removed and added variants are few enough to be compared with all variants of the other schema. */
export function isComparable(
  { removed, added }: Match,
  before: readonly Part[],
  after: readonly Part[],
): boolean {
  return removed.length * after.length + added.length * before.length <= MAX_COMPARISONS;
}
