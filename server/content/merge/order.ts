import type { Sides } from './sides.ts';

/**
 * The IDs of one side compared with the ancestor's list: those that kept their order, and the positions of the others.
 */
interface Arrangement {
  /** Added and moved IDs in the side's order, with the index of the ancestor's ID that they follow. */
  movedTo: Map<string, number>;
  /** The same IDs by that index; -1 is the start of the list. */
  idsByPosition: Map<number, string[]>;
}

/**
 * Merges lists of IDs. An ID that one side added or moved follows the ID that it follows on that side; at the same
 * position the primary's IDs come first. An ID that both sides moved is where the branch has it.
 *
 * @param isIncluded whether an ID is in the result; each such ID must be in the primary's or the branch's list
 */
export function mergeOrder(
  { ancestor, primary, branch }: Record<keyof Sides<unknown>, readonly string[]>,
  isIncluded: (id: string) => boolean,
): string[] {
  const primaryMoves = arrange(ancestor, primary);
  const branchMoves = arrange(ancestor, branch);
  const result: string[] = [];
  for (let position = -1; position < ancestor.length; position++) {
    const id = ancestor[position];
    if (id !== undefined && isIncluded(id) && !primaryMoves.movedTo.has(id) && !branchMoves.movedTo.has(id)) {
      result.push(id);
    }
    const added = branchMoves.idsByPosition.get(position)?.filter(isIncluded) ?? [];
    const moved = primaryMoves.idsByPosition
      .get(position)
      ?.filter((id) => isIncluded(id) && (branchMoves.movedTo.get(id) ?? position) === position);
    result.push(...(moved ? mergeGroups(moved, added) : added));
  }
  return result;
}

/** Merges the IDs that both sides have at the same position: the primary's first, except around IDs that both have. */
function mergeGroups(primary: readonly string[], branch: readonly string[]): string[] {
  const positions = new Map(branch.map((id, position) => [id, position]));
  const shared = primary.filter((id) => positions.has(id));
  if (shared.length === 0) {
    return [...primary, ...branch];
  }
  const ancestor = longestIncreasingSubsequence(shared.map((id) => positions.get(id) ?? 0)).flatMap(
    (at) => shared[at] ?? [],
  );
  return mergeOrder({ ancestor, primary, branch }, () => true);
}

function arrange(ancestor: readonly string[], side: readonly string[]): Arrangement {
  const positions = new Map(ancestor.map((id, position) => [id, position]));
  const existing = side.filter((id) => positions.has(id));
  const settled = new Set(
    longestIncreasingSubsequence(existing.map((id) => positions.get(id) ?? 0)).map(
      (at) => existing[at] ?? '',
    ),
  );
  const movedTo = new Map<string, number>();
  const idsByPosition = new Map<number, string[]>();
  let position = -1;
  for (const id of side) {
    if (settled.has(id)) {
      position = positions.get(id) ?? position;
      continue;
    }
    movedTo.set(id, position);
    const group = idsByPosition.get(position);
    if (group) {
      group.push(id);
    } else {
      idsByPosition.set(position, [id]);
    }
  }
  return { movedTo, idsByPosition };
}

/** Returns the indices of a longest increasing subsequence of distinct numbers. */
export function longestIncreasingSubsequence(numbers: readonly number[]): number[] {
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
