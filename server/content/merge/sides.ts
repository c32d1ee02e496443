import type { Content } from '../tree/content.ts';
import type { Difference } from '../tree/trie-diff.ts';
import { canonicalJson, type Json, type Storable } from '../tree/values.ts';

/** The three contents of a merge. They have to be of one organization. */
export interface MergeSides {
  /** What both sides came from. */
  ancestor: Content;
  /** The primary content. */
  primary: Content;
  /** The content of the change request. */
  branch: Content;
}

/** One thing as the three contents have it; undefined where they do not. */
export interface Sides<Value> {
  ancestor: Value | undefined;
  primary: Value | undefined;
  branch: Value | undefined;
}

/** A side that changes the ancestor. */
export type Side = 'primary' | 'branch';

/** What the author of a change request has to look at. */
export interface MergeConflict {
  page?: string;
  file?: string;
  reusableContent?: string;
  /** The name of a variable of the whole content. */
  variable?: string;
  /**
   * What differs: a field (`title`, `layout.width`, `variables.<name>` …), `text`, `place`, `type`, `content` (of a
   * file), `value` (of a variable), `computed`; or `deleted`, where one side deleted what the other one changed.
   */
  what: string;
}

/** Whether two values say the same; undefined is like nothing but itself. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  // Everything that is merged is made of JSON, which the types of records do not say by themselves.
  return canonicalJson(a as Storable) === canonicalJson(b as Storable);
}

/** The value that three sides lead to: what one side changed; the branch's where both did, which is a conflict. */
export function mergeValue<Value>({ ancestor, primary, branch }: Sides<Value>): {
  value: Value | undefined;
  conflict: boolean;
} {
  if (same(primary, branch) || same(ancestor, branch)) return { value: primary, conflict: false };
  return { value: branch, conflict: !same(ancestor, primary) };
}

/** Each side of a thing, seen through a function. */
export function mapSides<Value, Result>(
  { ancestor, primary, branch }: Sides<Value>,
  see: (value: Value) => Result | undefined,
): Sides<Result> {
  return {
    ancestor: ancestor === undefined ? undefined : see(ancestor),
    primary: primary === undefined ? undefined : see(primary),
    branch: branch === undefined ? undefined : see(branch),
  };
}

/** Two comparisons with the ancestor as one: what differs on any side, under the same key, as all three have it. */
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

/** Things in lists, under their names, as all three sides have them. */
export function joinById<Value>({
  ancestor = [],
  primary = [],
  branch = [],
}: Sides<ReadonlyArray<readonly [string, Value]>>): Map<string, Sides<Value>> {
  const [was, ours, theirs] = [new Map(ancestor), new Map(primary), new Map(branch)];
  const names = new Set([...was.keys(), ...ours.keys(), ...theirs.keys()]);
  return new Map(
    [...names].map((name) => [
      name,
      { ancestor: was.get(name), primary: ours.get(name), branch: theirs.get(name) },
    ]),
  );
}
