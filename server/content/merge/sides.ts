import type { Content } from '../tree/content.ts';
import type { Difference } from '../tree/trie-diff.ts';
import { canonicalJson, type Json, type Storable } from '../tree/values.ts';

/** The three contents of a merge. They must belong to the same organization. */
export interface MergeSides {
  /** The common ancestor of both sides. */
  ancestor: Content;
  /** The primary content. */
  primary: Content;
  /** The content of the change request. */
  branch: Content;
}

/** A value in each of the three contents; undefined if it does not exist there. */
export interface Sides<Value> {
  ancestor: Value | undefined;
  primary: Value | undefined;
  branch: Value | undefined;
}

/** A side that changed the ancestor. */
export type Side = 'primary' | 'branch';

/** A conflict that the author of the change request has to review. */
export interface MergeConflict {
  page?: string;
  file?: string;
  reusableContent?: string;
  /** Name of a variable of the content. */
  variable?: string;
  /**
   * The conflicting part: a field (`title`, `layout.width`, `variables.<name>` …), `text`, `parent`, `type`, `content`
   * (of a file), `value` (of a variable) or `computed`; or `deleted` if one side deleted what the other side changed.
   */
  part: string;
  /** Whether the merge with a preferred side retains what one side deleted; only of the part `deleted`. */
  isRetained?: boolean;
  /** First line of the first conflict in the primary's text, from 1; only for the part `text`. */
  line?: number | undefined;
}

/** Returns a conflict of what the merge retains if one side deleted it. */
export const conflictOf = (
  part: string,
  prefer: Side | undefined,
): Pick<MergeConflict, 'part' | 'isRetained'> =>
  part === 'deleted' && prefer !== undefined ? { part, isRetained: true } : { part };

/** Returns whether two values are equal. undefined equals only itself. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) {
    return true;
  }
  if (a === undefined || b === undefined) {
    return false;
  }
  // All merged values consist of JSON, which the types of records do not declare.
  return canonicalJson(a as Storable) === canonicalJson(b as Storable);
}

/**
 * Merges a value: returns the value of the side that changed it. If both did, that is a conflict, and the value of the
 * preferred side, by default the branch.
 */
export function mergeValue<Value>(
  { ancestor, primary, branch }: Sides<Value>,
  prefer: Side = 'branch',
): {
  value: Value | undefined;
  conflict: boolean;
} {
  if (same(primary, branch) || same(ancestor, branch)) {
    return { value: primary, conflict: false };
  }
  const conflict = !same(ancestor, primary);
  return { value: conflict && prefer === 'primary' ? primary : branch, conflict };
}

/** Maps each defined side of a value. */
export function mapSides<Value, Result>(
  { ancestor, primary, branch }: Sides<Value>,
  map: (value: Value) => Result | undefined,
): Sides<Result> {
  return {
    ancestor: ancestor === undefined ? undefined : map(ancestor),
    primary: primary === undefined ? undefined : map(primary),
    branch: branch === undefined ? undefined : map(branch),
  };
}

/** Joins two comparisons with the ancestor: returns each key that differs on a side with its values on all three. */
export function joinDifferences<Value>(
  toPrimary: ReadonlyMap<string, Difference>,
  toBranch: ReadonlyMap<string, Difference>,
  as: (value: Json) => Value,
): Map<string, Sides<Value>> {
  const joined = new Map<string, Sides<Value>>();
  for (const key of [...new Set([...toPrimary.keys(), ...toBranch.keys()])].sort()) {
    const [primary, branch] = [toPrimary.get(key), toBranch.get(key)];
    const ancestor = (primary ?? branch)?.before;
    const values: Sides<Json> = {
      ancestor,
      primary: primary ? primary.after : ancestor,
      branch: branch ? branch.after : ancestor,
    };
    joined.set(key, mapSides(values, as));
  }
  return joined;
}

/** Joins lists of named values by name. */
export function joinById<Value>({
  ancestor = [],
  primary = [],
  branch = [],
}: Sides<ReadonlyArray<readonly [string, Value]>>): Map<string, Sides<Value>> {
  const [originals, primaryItems, branchItems] = [new Map(ancestor), new Map(primary), new Map(branch)];
  const names = new Set([...originals.keys(), ...primaryItems.keys(), ...branchItems.keys()]);
  return new Map(
    [...names].map((name) => [
      name,
      { ancestor: originals.get(name), primary: primaryItems.get(name), branch: branchItems.get(name) },
    ]),
  );
}
