import { keyDigits } from './hash.ts';
import { canonicalJson, type Load, type Packed, storedText } from './values.ts';
import { mapYielding } from './yielding.ts';

/*
 * The stored form of a trie. A node is a leaf with at most LEAF_CAPACITY entries ordered by key, or a branch with
 * sixteen children, selected by the next digit of the key's hash. Only nodes with more entries than fit in a leaf are
 * branches, so equal entries always produce equal nodes.
 */

/** Maximum number of entries of a leaf. */
export const LEAF_CAPACITY = 8;

/** A key with its value. */
export interface Entry {
  readonly key: string;
  readonly value: Packed;
  /** Result of {@link keyDigits} for the key, once it was needed. */
  digits?: string;
}

export interface Leaf {
  readonly entries: readonly Entry[];
}

export interface Branch {
  /** Number of entries in the subtree. */
  readonly count: number;
  /** Hashes of the sixteen children; null for a child without entries. */
  readonly children: ReadonlyArray<string | null>;
}

export type Node = Leaf | Branch;

/** Returns whether a node contains entries. */
export const isLeaf = (node: Node): node is Leaf => 'entries' in node;

/** Returns the number of entries of a node and its descendants. */
export const countOf = (node: Node): number => (isLeaf(node) ? node.entries.length : node.count);

/** Returns the digit of an entry's key at a depth. */
function digitAt(entry: Entry, depth: number): number {
  entry.digits ??= keyDigits(entry.key);
  return Number.parseInt(entry.digits.charAt(depth), 16);
}

/** Formats a node: `{"l":[[key,packed]…]}` or `{"n":count,"b":[hash or 0 …]}`. */
export function writeNode(node: Node): string {
  if (!isLeaf(node)) {
    return canonicalJson({ n: node.count, b: node.children.map((hash) => hash ?? 0) });
  }
  return JSON.stringify({ l: node.entries.map(({ key, value }) => [key, value]) });
}

/** Parses the result of {@link writeNode}. */
function readNode(text: string): Node {
  // Only writeNode creates these texts: the hash of a node comes from another node or from a revision.
  const data = JSON.parse(text) as
    | { l: ReadonlyArray<readonly [key: string, value: Packed]> }
    | { n: number; b: ReadonlyArray<string | 0> };
  return 'l' in data
    ? { entries: data.l.map(([key, value]) => ({ key, value })) }
    : { count: data.n, children: data.b.map((hash) => hash || null) };
}

/** Loads nodes by hash. */
export async function loadNodes(hashes: Iterable<string>, load: Load): Promise<Map<string, Node>> {
  const unique = [...new Set(hashes)];
  if (unique.length === 0) {
    return new Map();
  }
  const texts = await load(unique);
  return new Map(await mapYielding(unique, (hash) => [hash, readNode(storedText(hash, texts))] as const));
}

/** Groups entries by their digit at a depth. */
export function byDigit(entries: Iterable<Entry>, depth: number): Entry[][] {
  const groups: Entry[][] = Array.from({ length: 16 }, () => []);
  for (const entry of entries) {
    groups[digitAt(entry, depth)]?.push(entry);
  }
  return groups;
}

/** Compares entries by the UTF-16 units of their keys, the order within leaves. */
export const byKey = (a: Entry, b: Entry): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Returns a node from the loaded nodes. */
export function nodeOf(hash: string, nodes: ReadonlyMap<string, Node>): Node {
  const node = nodes.get(hash);
  if (!node) {
    throw new Error(`The node ${hash} must be loaded before it is accessed.`);
  }
  return node;
}
