import { hashOf, wayTo } from './hash.ts';
import {
  type Branch,
  byDigit,
  byKey,
  countOf,
  type Entry,
  isLeaf,
  LEAF,
  loadNodes,
  type Node,
  writeNode,
} from './trie-nodes.ts';
import { isTurnOver, mapInTurns, nextTurn } from './turns.ts';
import { type Json, type Load, type Objects, pack, type Storable, unpack } from './values.ts';

/*
 * A persistent map from text keys to JSON values, made of content-addressed objects. Every version of it is named
 * by the hash of its root (null when empty); an edit makes the few nodes on the way to what changed and shares
 * the rest. The same entries give the same root, whatever the order of the edits that led there.
 */

/** Names one version of a trie; null is the empty one. */
export type TrieRoot = string | null;

/**
 * The values of some keys; keys that the trie lacks are left out. Loads only the way to them, all of a level at
 * once.
 */
export async function get(root: TrieRoot, keys: Iterable<string>, load: Load): Promise<Map<string, Json>> {
  const found: Entry[] = [];
  // A key is looked for as an entry without a value.
  const wanted = await mapInTurns(
    new Set(keys),
    (key): Entry => ({ key, value: [0, null], way: wayTo(key) }),
  );
  let open = root === null || wanted.length === 0 ? [] : [{ hash: root, wanted }];
  for (let depth = 0; open.length > 0; depth++) {
    const nodes = await loadNodes(
      open.map(({ hash }) => hash),
      load,
    );
    const next: typeof open = [];
    for (const { hash, wanted } of open) {
      const node = nodeOf(hash, nodes);
      if (isLeaf(node)) {
        const keys = new Set(wanted.map(({ key }) => key));
        found.push(...node.entries.filter(({ key }) => keys.has(key)));
        continue;
      }
      byDigit(wanted, depth).forEach((group, digit) => {
        const child = node.children[digit];
        if (child && group.length > 0) next.push({ hash: child, wanted: group });
      });
    }
    open = next;
  }
  return valuesOf(found, load);
}

/** All entries, in no order that means anything. One round of loading per level. */
export async function entries(root: TrieRoot, load: Load): Promise<Map<string, Json>> {
  const found: Entry[] = [];
  let open = root === null ? [] : [root];
  while (open.length > 0) {
    const nodes = await loadNodes(open, load);
    open = [];
    for (const node of nodes.values()) {
      if (isLeaf(node)) found.push(...node.entries);
      else open.push(...node.children.filter((hash) => hash !== null));
    }
  }
  return valuesOf(found, load);
}

/** How many entries there are; loads the root alone. */
export async function size(root: TrieRoot, load: Load): Promise<number> {
  if (root === null) return 0;
  return countOf(nodeOf(root, await loadNodes([root], load)));
}

/** What an update made: the new version, and the texts to store for it. */
export interface Updated {
  root: TrieRoot;
  objects: Objects;
}

/**
 * Puts values (undefined removes) and answers the new version. Nothing is stored: `objects` has to be, before
 * anyone reads from the new root. Loads the way to the changed keys only.
 */
export async function update(
  root: TrieRoot,
  changes: ReadonlyMap<string, Storable>,
  load: Load,
): Promise<Updated> {
  const objects: Objects = new Map();
  const edits = await mapInTurns(
    changes,
    ([key, value]): Edit => ({
      key,
      value: value === undefined ? [0, null] : pack(value, objects),
      removed: value === undefined,
      way: wayTo(key),
    }),
  );
  const nodes = new Map<string, Node>();
  await loadWays(root, edits, nodes, load);
  for (;;) {
    const missing = new Set<string>();
    const tree = await apply(root, edits, 0, nodes, missing);
    if (missing.size === 0) return { root: await seal(tree, nodes, objects), objects };
    for (const [hash, node] of await loadNodes(missing, load)) nodes.set(hash, node);
  }
}

interface Edit extends Entry {
  readonly removed: boolean;
}

/** A node that is not stored yet; a child that did not change is its hash. */
type Fresh =
  | { readonly entries: readonly Entry[] }
  | { readonly count: number; readonly children: ReadonlyArray<Fresh | string | null> };

/** Loads every node on the way to the edits, a level at a time. */
async function loadWays(root: TrieRoot, edits: readonly Edit[], nodes: Map<string, Node>, load: Load) {
  let open: Array<{ hash: string; edits: readonly Entry[] }> =
    root === null || edits.length === 0 ? [] : [{ hash: root, edits }];
  for (let depth = 0; open.length > 0; depth++) {
    const level = await loadNodes(
      open.map(({ hash }) => hash),
      load,
    );
    for (const [hash, node] of level) nodes.set(hash, node);
    open = open.flatMap(({ hash, edits }) => {
      const node = nodeOf(hash, level);
      if (isLeaf(node)) return [];
      return byDigit(edits, depth).flatMap((group, digit) => {
        const child = node.children[digit];
        return child && group.length > 0 ? [{ hash: child, edits: group }] : [];
      });
    });
  }
}

/**
 * The node that `hash` becomes. A branch that shrinks to what a leaf holds needs its other children, which may
 * not be loaded: those are added to `missing`, and the result is of no use then.
 */
async function apply(
  hash: string | null,
  edits: readonly Edit[],
  depth: number,
  nodes: ReadonlyMap<string, Node>,
  missing: Set<string>,
): Promise<Fresh | string | null> {
  if (isTurnOver()) await nextTurn();
  if (edits.length === 0) return hash;
  const node: Node = hash === null ? { entries: [] } : nodeOf(hash, nodes);
  if (isLeaf(node)) return await grow(edited(node.entries, edits), depth);

  // byDigit only groups: what comes out are the edits that went in.
  const groups = byDigit(edits, depth) as Edit[][];
  let count = node.count;
  const children: Array<Fresh | string | null> = [];
  for (const [digit, child] of node.children.entries()) {
    const after = await apply(child, groups[digit] ?? [], depth + 1, nodes, missing);
    if (after !== child) count += freshCount(after, nodes) - freshCount(child, nodes);
    children.push(after);
  }
  if (count > LEAF) return { count, children };
  const left = children.flatMap((child) => allEntries(child, nodes, missing));
  return left.length === 0 ? null : { entries: left.sort(byKey) };
}

function edited(entries: readonly Entry[], edits: readonly Edit[]): Entry[] {
  const result = new Map(entries.map((entry) => [entry.key, entry]));
  for (const edit of edits) {
    if (edit.removed) result.delete(edit.key);
    else result.set(edit.key, edit);
  }
  return [...result.values()];
}

/** The node that holds these entries. */
async function grow(entries: readonly Entry[], depth: number): Promise<Fresh | null> {
  if (isTurnOver()) await nextTurn();
  if (entries.length === 0) return null;
  if (entries.length <= LEAF) return { entries: entries.toSorted(byKey) };
  const children: Array<Fresh | null> = [];
  for (const group of byDigit(entries, depth)) children.push(await grow(group, depth + 1));
  return { count: entries.length, children };
}

function freshCount(node: Fresh | string | null, nodes: ReadonlyMap<string, Node>): number {
  if (node === null) return 0;
  if (typeof node === 'string') return countOf(nodeOf(node, nodes));
  return 'entries' in node ? node.entries.length : node.count;
}

/** The entries below a child of a branch that shrank: few, so everything below it is a leaf. */
function allEntries(
  node: Fresh | string | null,
  nodes: ReadonlyMap<string, Node>,
  missing: Set<string>,
): readonly Entry[] {
  if (node === null) return [];
  if (typeof node !== 'string') return 'entries' in node ? node.entries : [];
  const stored = nodes.get(node);
  if (stored) return isLeaf(stored) ? stored.entries : [];
  missing.add(node);
  return [];
}

/** The hash of a node; the texts of it and of the new ones below it are added to `objects`. */
async function seal(
  node: Fresh | string | null,
  known: ReadonlyMap<string, Node>,
  objects: Objects,
): Promise<string | null> {
  if (node === null || typeof node === 'string') return node;
  if (isTurnOver()) await nextTurn();
  const text = writeNode('entries' in node ? node : await sealed(node, known, objects));
  const hash = hashOf(text);
  // A value may be put that is there already: then this very node is stored.
  if (!known.has(hash)) objects.set(hash, text);
  return hash;
}

/** A branch whose children are sealed. */
async function sealed(
  { count, children }: Extract<Fresh, { count: number }>,
  known: ReadonlyMap<string, Node>,
  objects: Objects,
): Promise<Branch> {
  const hashes: Array<string | null> = [];
  for (const child of children) hashes.push(await seal(child, known, objects));
  return { count, children: hashes };
}

async function valuesOf(found: readonly Entry[], load: Load): Promise<Map<string, Json>> {
  const values = await unpack(
    found.map(({ value }) => value),
    load,
  );
  return new Map(found.map(({ key }, at) => [key, values[at] ?? null]));
}

/** A node among those that were loaded. */
export function nodeOf(hash: string, nodes: ReadonlyMap<string, Node>): Node {
  const node = nodes.get(hash);
  if (!node) throw new Error(`The node ${hash} was to be loaded before it is looked at.`);
  return node;
}
