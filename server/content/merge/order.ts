import type { Sides } from './sides.ts';

/** The ids of one side, seen from the ancestor's: those that kept their order, and the places of the others. */
interface Arrangement {
  /** Ids that came or moved, in the side's order, with the place in the ancestor's list that they stand behind. */
  loose: Map<string, number>;
  /** The same by place; -1 is the front. */
  behind: Map<number, string[]>;
}

/**
 * Merges lists of ids in order. Ids that one side added or moved stand behind the id that they stand behind there;
 * of those at the same place the primary's come first. What both moved stands where the branch has it.
 *
 * @param belongs whether an id is in the result; each such id has to be in the primary's or the branch's list
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
    if (id !== undefined && belongs(id) && !ours.loose.has(id) && !theirs.loose.has(id)) result.push(id);
    const added = theirs.behind.get(place)?.filter(belongs) ?? [];
    const kept = ours.behind
      .get(place)
      ?.filter((id) => belongs(id) && (theirs.loose.get(id) ?? place) === place);
    result.push(...(kept ? sideBySide(kept, added) : added));
  }
  return result;
}

/** What both sides put at the same place: the primary's first, and between them what both have there. */
function sideBySide(primary: readonly string[], branch: readonly string[]): string[] {
  const places = new Map(branch.map((id, place) => [id, place]));
  const shared = primary.filter((id) => places.has(id));
  if (shared.length === 0) return [...primary, ...branch];
  const ancestor = longestRise(shared.map((id) => places.get(id) ?? 0)).flatMap((at) => shared[at] ?? []);
  return mergeOrder({ ancestor, primary, branch }, () => true);
}

function arrange(ancestor: readonly string[], side: readonly string[]): Arrangement {
  const places = new Map(ancestor.map((id, place) => [id, place]));
  const known = side.filter((id) => places.has(id));
  const settled = new Set(longestRise(known.map((id) => places.get(id) ?? 0)).map((at) => known[at] ?? ''));
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
    if (group) group.push(id);
    else behind.set(place, [id]);
  }
  return { loose, behind };
}

/** The indices of a longest part of a list of distinct numbers, not in one piece, in which each is larger than the one before. */
export function longestRise(numbers: readonly number[]): number[] {
  /** By length of a rise: the index of the smallest number that one ends with. */
  const ends: number[] = [];
  const before: Array<number | undefined> = [];
  numbers.forEach((number, at) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    before.push(ends[low - 1]);
    ends[low] = at;
  });
  const rise: number[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) rise.push(at);
  return rise.reverse();
}
