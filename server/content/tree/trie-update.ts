import { hashOf, keyDigits } from './hash.ts';
import type { TrieRoot } from './trie.ts';
import {
  type Branch,
  byDigit,
  byKey,
  countOf,
  type Entry,
  isLeaf,
  LEAF_CAPACITY,
  loadNodes,
  type Node,
  nodeOf,
  writeNode,
} from './trie-nodes.ts';
import { type Load, type Objects, pack, type Storable } from './values.ts';
import { isYieldDue, mapYielding, yieldToEventLoop } from './yielding.ts';

/** Result of an update: the new version, and the objects to store for it. */
export interface Updated {
  root: TrieRoot;
  objects: Objects;
}

/**
 * Sets values (undefined removes a key) and returns the new version. Stores nothing: `objects` must be stored before
 * anything is read from the new root. Loads only the path to the changed keys.
 */
export async function update(
  root: TrieRoot,
  changes: ReadonlyMap<string, Storable>,
  load: Load,
): Promise<Updated> {
  const objects: Objects = new Map();
  const edits = await mapYielding(
    changes,
    ([key, value]): Edit => ({
      key,
      value: value === undefined ? [0, null] : pack(value, objects),
      removed: value === undefined,
      digits: keyDigits(key),
    }),
  );
  const nodes = new Map<string, Node>();
  await loadPaths(root, edits, nodes, load);
  for (;;) {
    const missing = new Set<string>();
    const tree = await apply(root, edits, 0, nodes, missing);
    if (missing.size === 0) {
      return { root: await seal(tree, nodes, objects), objects };
    }
    for (const [hash, node] of await loadNodes(missing, load)) {
      nodes.set(hash, node);
    }
  }
}

interface Edit extends Entry {
  readonly removed: boolean;
}

/** A node that is not stored yet. Unchanged children are represented by their hashes. */
type Fresh =
  | { readonly entries: readonly Entry[] }
  | { readonly count: number; readonly children: ReadonlyArray<Fresh | string | null> };

/** Loads all nodes on the path to the edits, one batch per level. */
async function loadPaths(root: TrieRoot, edits: readonly Edit[], nodes: Map<string, Node>, load: Load) {
  let open: Array<{ hash: string; edits: readonly Entry[] }> =
    root === null || edits.length === 0 ? [] : [{ hash: root, edits }];
  for (let depth = 0; open.length > 0; depth++) {
    const level = await loadNodes(
      open.map(({ hash }) => hash),
      load,
    );
    for (const [hash, node] of level) {
      nodes.set(hash, node);
    }
    open = open.flatMap(({ hash, edits }) => {
      const node = nodeOf(hash, level);
      if (isLeaf(node)) {
        return [];
      }
      return byDigit(edits, depth).flatMap((group, digit) => {
        const child = node.children[digit];
        return child && group.length > 0 ? [{ hash: child, edits: group }] : [];
      });
    });
  }
}

/**
 * Returns the node that replaces `hash`. A branch that shrinks to the size of a leaf needs its other children. If these
 * are not loaded, they are added to `missing`, and the result must be discarded.
 */
async function apply(
  hash: string | null,
  edits: readonly Edit[],
  depth: number,
  nodes: ReadonlyMap<string, Node>,
  missing: Set<string>,
): Promise<Fresh | string | null> {
  if (isYieldDue()) {
    await yieldToEventLoop();
  }
  if (edits.length === 0) {
    return hash;
  }
  const node: Node = hash === null ? { entries: [] } : nodeOf(hash, nodes);
  if (isLeaf(node)) {
    return await grow(edited(node.entries, edits), depth);
  }

  // byDigit only groups the edits that are passed to it.
  const groups = byDigit(edits, depth) as Edit[][];
  let count = node.count;
  const children: Array<Fresh | string | null> = [];
  for (const [digit, child] of node.children.entries()) {
    const after = await apply(child, groups[digit] ?? [], depth + 1, nodes, missing);
    if (after !== child) {
      count += freshCount(after, nodes) - freshCount(child, nodes);
    }
    children.push(after);
  }
  if (count > LEAF_CAPACITY) {
    return { count, children };
  }
  const left = children.flatMap((child) => allEntries(child, nodes, missing));
  return left.length === 0 ? null : { entries: left.sort(byKey) };
}

function edited(entries: readonly Entry[], edits: readonly Edit[]): Entry[] {
  const result = new Map(entries.map((entry) => [entry.key, entry]));
  for (const edit of edits) {
    if (edit.removed) {
      result.delete(edit.key);
    } else {
      result.set(edit.key, edit);
    }
  }
  return [...result.values()];
}

/** Creates the node that contains some entries. */
async function grow(entries: readonly Entry[], depth: number): Promise<Fresh | null> {
  if (isYieldDue()) {
    await yieldToEventLoop();
  }
  if (entries.length === 0) {
    return null;
  }
  if (entries.length <= LEAF_CAPACITY) {
    return { entries: entries.toSorted(byKey) };
  }
  const children: Array<Fresh | null> = [];
  for (const group of byDigit(entries, depth)) {
    children.push(await grow(group, depth + 1));
  }
  return { count: entries.length, children };
}

function freshCount(node: Fresh | string | null, nodes: ReadonlyMap<string, Node>): number {
  if (node === null) {
    return 0;
  }
  if (typeof node === 'string') {
    return countOf(nodeOf(node, nodes));
  }
  return 'entries' in node ? node.entries.length : node.count;
}

/** Returns the entries of a child of a branch that shrank. There are few, so the child is a leaf. */
function allEntries(
  node: Fresh | string | null,
  nodes: ReadonlyMap<string, Node>,
  missing: Set<string>,
): readonly Entry[] {
  if (node === null) {
    return [];
  }
  if (typeof node !== 'string') {
    return 'entries' in node ? node.entries : [];
  }
  const stored = nodes.get(node);
  if (stored) {
    return isLeaf(stored) ? stored.entries : [];
  }
  missing.add(node);
  return [];
}

/** Returns the hash of a node. Adds the texts of it and its new descendants to `objects`. */
async function seal(
  node: Fresh | string | null,
  stored: ReadonlyMap<string, Node>,
  objects: Objects,
): Promise<string | null> {
  if (node === null || typeof node === 'string') {
    return node;
  }
  if (isYieldDue()) {
    await yieldToEventLoop();
  }
  const text = writeNode('entries' in node ? node : await sealed(node, stored, objects));
  const hash = hashOf(text);
  // An edit may set an existing value again: then this node is already stored.
  if (!stored.has(hash)) {
    objects.set(hash, text);
  }
  return hash;
}

/** Seals the children of a branch. */
async function sealed(
  { count, children }: Extract<Fresh, { count: number }>,
  stored: ReadonlyMap<string, Node>,
  objects: Objects,
): Promise<Branch> {
  const hashes: Array<string | null> = [];
  for (const child of children) {
    hashes.push(await seal(child, stored, objects));
  }
  return { count, children: hashes };
}
