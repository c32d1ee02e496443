import { wayTo } from './hash.ts';
import { mapInTurns } from './turns.ts';
import { canonicalJson, type Load, type Packed, textOf } from './values.ts';

/*
 * The stored form of a trie: a node is a leaf with at most LEAF entries in the order of their keys, or a branch
 * with sixteen children, told apart by the next digit of the hash of the key. A node with more entries than a
 * leaf holds is a branch, any other is a leaf: so the same entries always make the same nodes.
 */

/** Most entries of a leaf. */
export const LEAF = 8;

/** A key with its value. */
export interface Entry {
  readonly key: string;
  readonly value: Packed;
  /** {@link wayTo} the key, once it was needed. */
  way?: string;
}

export interface Leaf {
  readonly entries: readonly Entry[];
}

export interface Branch {
  /** How many entries are below it. */
  readonly count: number;
  /** Hashes of the sixteen children, null where there are no entries. */
  readonly children: ReadonlyArray<string | null>;
}

export type Node = Leaf | Branch;

export const isLeaf = (node: Node): node is Leaf => 'entries' in node;

export const countOf = (node: Node): number => (isLeaf(node) ? node.entries.length : node.count);

/** The digit that an entry goes by at a depth. */
export function digitAt(entry: Entry, depth: number): number {
  entry.way ??= wayTo(entry.key);
  return Number.parseInt(entry.way.charAt(depth), 16);
}

/** The text of a node: `{"l":[[key,packed]…]}` or `{"n":count,"b":[hash or 0 …]}`. */
export function writeNode(node: Node): string {
  if (!isLeaf(node)) {
    return canonicalJson({ n: node.count, b: node.children.map((hash) => hash ?? 0) });
  }
  return JSON.stringify({ l: node.entries.map(({ key, value }) => [key, value]) });
}

/** The node behind a text of {@link writeNode}. */
export function readNode(text: string): Node {
  // Only writeNode makes these texts: whoever asks for a node has its hash from another one, or from a revision.
  const data = JSON.parse(text) as
    | { l: ReadonlyArray<readonly [key: string, value: Packed]> }
    | { n: number; b: ReadonlyArray<string | 0> };
  return 'l' in data
    ? { entries: data.l.map(([key, value]) => ({ key, value })) }
    : { count: data.n, children: data.b.map((hash) => hash || null) };
}

/** The nodes of these hashes. */
export async function loadNodes(hashes: Iterable<string>, load: Load): Promise<Map<string, Node>> {
  const wanted = [...new Set(hashes)];
  if (wanted.length === 0) return new Map();
  const texts = await load(wanted);
  return new Map(await mapInTurns(wanted, (hash) => [hash, readNode(textOf(hash, texts))] as const));
}

/** Entries in sixteen groups, by their digit at a depth. */
export function byDigit(entries: Iterable<Entry>, depth: number): Entry[][] {
  const groups: Entry[][] = Array.from({ length: 16 }, () => []);
  for (const entry of entries) groups[digitAt(entry, depth)]?.push(entry);
  return groups;
}

/** Orders by the units of the key's text, as every leaf does. */
export const byKey = (a: Entry, b: Entry): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
