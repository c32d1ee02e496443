import { keyDigits } from './hash.ts';
import { byDigit, countOf, type Entry, isLeaf, loadNodes, nodeOf } from './trie-nodes.ts';
import { type Json, type Load, unpack } from './values.ts';
import { mapYielding } from './yielding.ts';

/*
 * A persistent map from string keys to JSON values, stored as content-addressed objects. Each version is identified by
 * the hash of its root (null if empty). An edit, see `trie-update.ts`, creates only the nodes on the path to the change
 * and shares the rest. Equal entries have the same root, whatever the order of edits.
 */

/** Identifies a version of a trie; null is the empty trie. */
export type TrieRoot = string | null;

/** Returns the values of keys; missing keys are omitted. Loads only the path to them, one batch per level. */
export async function get(root: TrieRoot, keys: Iterable<string>, load: Load): Promise<Map<string, Json>> {
  const matches: Entry[] = [];
  // A requested key is represented by an entry without a value.
  const requested = await mapYielding(
    new Set(keys),
    (key): Entry => ({ key, value: [0, null], digits: keyDigits(key) }),
  );
  let open = root === null || requested.length === 0 ? [] : [{ hash: root, requested }];
  for (let depth = 0; open.length > 0; depth++) {
    const nodes = await loadNodes(
      open.map(({ hash }) => hash),
      load,
    );
    const next: typeof open = [];
    for (const { hash, requested } of open) {
      const node = nodeOf(hash, nodes);
      if (isLeaf(node)) {
        const keys = new Set(requested.map(({ key }) => key));
        matches.push(...node.entries.filter(({ key }) => keys.has(key)));
        continue;
      }
      byDigit(requested, depth).forEach((group, digit) => {
        const child = node.children[digit];
        if (child && group.length > 0) {
          next.push({ hash: child, requested: group });
        }
      });
    }
    open = next;
  }
  return valuesOf(matches, load);
}

/** Returns all entries in unspecified order, loading one batch per level. */
export async function entries(root: TrieRoot, load: Load): Promise<Map<string, Json>> {
  const matches: Entry[] = [];
  let open = root === null ? [] : [root];
  while (open.length > 0) {
    const nodes = await loadNodes(open, load);
    open = [];
    for (const node of nodes.values()) {
      if (isLeaf(node)) {
        matches.push(...node.entries);
      } else {
        open.push(...node.children.filter((hash) => hash !== null));
      }
    }
  }
  return valuesOf(matches, load);
}

/** Returns the number of entries. Loads only the root. */
export async function size(root: TrieRoot, load: Load): Promise<number> {
  if (root === null) {
    return 0;
  }
  return countOf(nodeOf(root, await loadNodes([root], load)));
}

async function valuesOf(matches: readonly Entry[], load: Load): Promise<Map<string, Json>> {
  const values = await unpack(
    matches.map(({ value }) => value),
    load,
  );
  return new Map(matches.map(({ key }, at) => [key, values[at] ?? null]));
}
