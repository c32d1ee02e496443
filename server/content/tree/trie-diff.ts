import type { TrieRoot } from './trie.ts';
import { byDigit, type Entry, isLeaf, loadNodes, type Node, nodeOf } from './trie-nodes.ts';
import { canonicalJson, type Json, type Load, unpack } from './values.ts';

/** Change of one key. A side is omitted if the trie does not contain the key. */
export interface Difference {
  before?: Json;
  after?: Json;
}

/** The entries of one key in two tries that differ; undefined in a trie without the key. */
interface EntryDifference {
  key: string;
  before: Entry | undefined;
  after: Entry | undefined;
}

/** One side of a pair of nodes at the same position: a stored node, the entries of a virtual node, or nothing. */
type Side = string | readonly Entry[] | null;

/**
 * Finds the keys with different values in two tries. Skips shared nodes, so that the cost is proportional to the
 * difference.
 */
export async function diff(before: TrieRoot, after: TrieRoot, load: Load): Promise<Map<string, Difference>> {
  return values(await differencesOf(before, after, load), load);
}

/** Returns how many more keys with a prefix the second trie has. Loads no values. */
export async function countAdded(
  before: TrieRoot,
  after: TrieRoot,
  prefix: string,
  load: Load,
): Promise<number> {
  const differences = await differencesOf(before, after, load);
  return differences
    .filter(({ key }) => key.startsWith(prefix))
    .reduce((sum, difference) => sum + (difference.after ? 1 : 0) - (difference.before ? 1 : 0), 0);
}

async function differencesOf(before: TrieRoot, after: TrieRoot, load: Load): Promise<EntryDifference[]> {
  const differences: EntryDifference[] = [];
  let open: Array<readonly [Side, Side]> = before === after ? [] : [[before, after]];
  for (let depth = 0; open.length > 0; depth++) {
    const nodes = await loadNodes(
      open.flat().filter((side) => typeof side === 'string'),
      load,
    );
    const next: typeof open = [];
    for (const [left, right] of open) {
      const entriesBefore = entriesOf(left, nodes);
      const entriesAfter = entriesOf(right, nodes);
      if (entriesBefore && entriesAfter) {
        compare(entriesBefore, entriesAfter, differences);
        continue;
      }
      const leftEdits = split(left, nodes, depth);
      split(right, nodes, depth).forEach((side, digit) => {
        const other = leftEdits[digit] ?? null;
        if (other !== side) {
          next.push([other, side]);
        }
      });
    }
    open = next;
  }
  return differences;
}

/** Returns the entries of a side, or undefined for a branch. */
function entriesOf(side: Side, nodes: ReadonlyMap<string, Node>): readonly Entry[] | undefined {
  if (side === null) {
    return [];
  }
  if (typeof side !== 'string') {
    return side;
  }
  const node = nodeOf(side, nodes);
  return isLeaf(node) ? node.entries : undefined;
}

/** Returns the sixteen children of a side. */
function split(side: Side, nodes: ReadonlyMap<string, Node>, depth: number): readonly Side[] {
  const entries = entriesOf(side, nodes);
  if (entries) {
    return byDigit(entries, depth).map((group) => (group.length > 0 ? group : null));
  }
  const node = typeof side === 'string' ? nodeOf(side, nodes) : undefined;
  return node && !isLeaf(node) ? node.children : [];
}

function compare(
  entriesBefore: readonly Entry[],
  entriesAfter: readonly Entry[],
  differences: EntryDifference[],
): void {
  const left = new Map(entriesBefore.map((entry) => [entry.key, entry]));
  for (const after of entriesAfter) {
    const before = left.get(after.key);
    left.delete(after.key);
    // Equal values have equal packed forms.
    if (!before || canonicalJson(before.value) !== canonicalJson(after.value)) {
      differences.push({ key: after.key, before, after });
    }
  }
  for (const [key, before] of left) {
    differences.push({ key, before, after: undefined });
  }
}

async function values(differences: readonly EntryDifference[], load: Load): Promise<Map<string, Difference>> {
  const sides = differences.flatMap(({ before, after }) => [before, after]);
  const unpacked = await unpack(
    sides.map((entry) => entry?.value ?? [0, null]),
    load,
  );
  return new Map(
    differences.map(({ key, before, after }, at) => [
      key,
      {
        ...(before ? { before: unpacked[2 * at] ?? null } : {}),
        ...(after ? { after: unpacked[2 * at + 1] ?? null } : {}),
      },
    ]),
  );
}
