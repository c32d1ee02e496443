import type { Sides } from './sides.ts';

/**
 * The IDs of one side compared with the ancestor's list: those that kept their order, and the positions of the others.
 */
interface Arrangement {
  /** Added and moved IDs in the side's order, with the index of the ancestor's ID that they follow. */
  loose: Map<string, number>;
  /** The same IDs by that index; -1 is the start of the list. */
  behind: Map<number, string[]>;
}

/**
 * Merges lists of IDs. An ID that one side added or moved follows the ID that it follows on that side; at the same
 * position the primary's IDs come first. An ID that both sides moved is where the branch has it.
 *
 * @param belongs whether an ID is in the result; each such ID must be in the primary's or the branch's list
 */
export function mergeOrder(
  { ancestor, primary, branch }: Record<keyof Sides<unknown>, readonly string[]>,
  belongs: (id: string) => boolean,
): string[] {
  const ours = arrange(ancestor, primary);
  const theirs = arrange(ancestor, branch);
  const result: string[] = [];
  for (let place = -1; place < ancestor.length; place++) {
    const id = ancestor[place];
    if (id !== undefined && belongs(id) && !ours.loose.has(id) && !theirs.loose.has(id)) {
      result.push(id);
    }
    const added = theirs.behind.get(place)?.filter(belongs) ?? [];
    const moved = ours.behind
      .get(place)
      ?.filter((id) => belongs(id) && (theirs.loose.get(id) ?? place) === place);
    result.push(...(moved ? mergeGroups(moved, added) : added));
  }
  return result;
}

/** Merges the IDs that both sides have at the same position: the primary's first, except around IDs that both have. */
function mergeGroups(primary: readonly string[], branch: readonly string[]): string[] {
  const places = new Map(branch.map((id, place) => [id, place]));
  const shared = primary.filter((id) => places.has(id));
  if (shared.length === 0) {
    return [...primary, ...branch];
  }
  const ancestor = longestRise(shared.map((id) => places.get(id) ?? 0)).flatMap((at) => shared[at] ?? []);
  return mergeOrder({ ancestor, primary, branch }, () => true);
}

function arrange(ancestor: readonly string[], side: readonly string[]): Arrangement {
  const places = new Map(ancestor.map((id, place) => [id, place]));
  const existing = side.filter((id) => places.has(id));
  const settled = new Set(
    longestRise(existing.map((id) => places.get(id) ?? 0)).map((at) => existing[at] ?? ''),
  );
  const loose = new Map<string, number>();
  const behind = new Map<number, string[]>();
  let place = -1;
  for (const id of side) {
    if (settled.has(id)) {
      place = places.get(id) ?? place;
      continue;
    }
    loose.set(id, place);
    const group = behind.get(place);
    if (group) {
      group.push(id);
    } else {
      behind.set(place, [id]);
    }
  }
  return { loose, behind };
}

/** Returns the indices of a longest increasing subsequence of distinct numbers. */
export function longestRise(numbers: readonly number[]): number[] {
  /** By length of a subsequence: index of the smallest number that ends one. */
  const ends: number[] = [];
  const before: Array<number | undefined> = [];
  numbers.forEach((number, at) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    before.push(ends[low - 1]);
    ends[low] = at;
  });
  const rise: number[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) {
    rise.push(at);
  }
  return rise.reverse();
}
