import { nodeOf, type TrieRoot } from './trie.ts';
import { byDigit, type Entry, isLeaf, loadNodes, type Node } from './trie-nodes.ts';
import { canonicalJson, type Json, type Load, unpack } from './values.ts';

/** What became of one key: a side is left out where the trie lacks the key. */
export interface Difference {
  before?: Json;
  after?: Json;
}

/** One side of a pair of nodes at the same place: a stored node, the entries that would be below it, or nothing. */
type Side = string | readonly Entry[] | null;

/**
 * The keys whose values differ between two tries. Nodes that both share are not looked at, so the cost goes with
 * what differs and not with what there is.
 */
export async function diff(before: TrieRoot, after: TrieRoot, load: Load): Promise<Map<string, Difference>> {
  const found: Array<{ key: string; before: Entry | undefined; after: Entry | undefined }> = [];
  let open: Array<readonly [Side, Side]> = before === after ? [] : [[before, after]];
  for (let depth = 0; open.length > 0; depth++) {
    const nodes = await loadNodes(
      open.flat().filter((side) => typeof side === 'string'),
      load,
    );
    const next: typeof open = [];
    for (const [left, right] of open) {
      const was = entriesOf(left, nodes);
      const is = entriesOf(right, nodes);
      if (was && is) {
        compare(was, is, found);
        continue;
      }
      const lefts = split(left, nodes, depth);
      split(right, nodes, depth).forEach((side, digit) => {
        const other = lefts[digit] ?? null;
        if (other !== side) next.push([other, side]);
      });
    }
    open = next;
  }
  return values(found, load);
}

/** The entries of a side, or undefined when it is a branch. */
function entriesOf(side: Side, nodes: ReadonlyMap<string, Node>): readonly Entry[] | undefined {
  if (side === null) return [];
  if (typeof side !== 'string') return side;
  const node = nodeOf(side, nodes);
  return isLeaf(node) ? node.entries : undefined;
}

/** What a side has at each of the sixteen places below it. */
function split(side: Side, nodes: ReadonlyMap<string, Node>, depth: number): readonly Side[] {
  const entries = entriesOf(side, nodes);
  if (entries) return byDigit(entries, depth).map((group) => (group.length > 0 ? group : null));
  const node = typeof side === 'string' ? nodeOf(side, nodes) : undefined;
  return node && !isLeaf(node) ? node.children : [];
}

function compare(
  was: readonly Entry[],
  is: readonly Entry[],
  found: Array<{ key: string; before: Entry | undefined; after: Entry | undefined }>,
): void {
  const left = new Map(was.map((entry) => [entry.key, entry]));
  for (const after of is) {
    const before = left.get(after.key);
    left.delete(after.key);
    // Packed forms are the same for the same value.
    if (!before || canonicalJson(before.value) !== canonicalJson(after.value)) {
      found.push({ key: after.key, before, after });
    }
  }
  for (const [key, before] of left) found.push({ key, before, after: undefined });
}

async function values(
  found: ReadonlyArray<{ key: string; before: Entry | undefined; after: Entry | undefined }>,
  load: Load,
): Promise<Map<string, Difference>> {
  const sides = found.flatMap(({ before, after }) => [before, after]);
  const unpacked = await unpack(
    sides.map((entry) => entry?.value ?? [0, null]),
    load,
  );
  return new Map(
    found.map(({ key, before, after }, at) => [
      key,
      {
        ...(before ? { before: unpacked[2 * at] ?? null } : {}),
        ...(after ? { after: unpacked[2 * at + 1] ?? null } : {}),
      },
    ]),
  );
}
