import { asFile, asPage } from './content.ts';
import { readRoot } from './content-root.ts';
import type { ReusableRecord } from './records.ts';
import type { TrieRoot } from './trie.ts';
import { type Entry, isLeaf, loadNodes } from './trie-nodes.ts';
import { isTurnOver, nextTurn } from './turns.ts';
import { type Load, packedHashes, unpack } from './values.ts';

/** What revisions lead to: hashes of objects, and of the bytes of files. */
export class Reached {
  readonly objects = new Set<string>();
  readonly blobs = new Set<string>();
  /**
   * Roots and nodes below which everything was reached. Not told from `objects`: a page's text may happen to be
   * the text of a node, and reaching it as a text says nothing of what is below the node.
   */
  readonly walked: Set<string>;

  /** @param walked what need not be walked again */
  constructor(walked: Iterable<string> = []) {
    this.walked = new Set(walked);
  }
}

/** Nodes looked at in one turn: bounds the memory that a walk over a large organization takes, and its turns. */
const NODES = 256;

/**
 * Adds to `reached` all that some revisions' roots lead to. What is in it already is not walked again, so that
 * revisions that share most of their content cost what they do not share.
 */
export async function reach(roots: Iterable<string>, load: Load, reached: Reached): Promise<void> {
  for (const hash of roots) {
    if (reached.walked.has(hash)) continue;
    const root = await readRoot(hash, load);
    const settings = [root.reusableContents, root.variables, ...(root.computed ? [root.computed] : [])];
    for (const found of await packedHashes(settings, load)) reached.objects.add(found);
    const [reusable] = await unpack([root.reusableContents], load);
    // planContent wrote these from such records.
    for (const { body } of (reusable ?? []) as unknown as ReusableRecord[]) reached.objects.add(body);
    await reachTrie(root.pages, load, reached, readPages);
    await reachTrie(root.files, load, reached, readFiles);
    for (const index of [root.index?.places, root.index?.links])
      await reachTrie(index ?? null, load, reached, async () => {});
    // Last, so that a walk that fails half-way is not taken for done when it is tried again.
    reached.objects.add(hash);
    reached.walked.add(hash);
  }
}

type ReadEntries = (entries: Entry[], load: Load, reached: Reached) => Promise<void>;

/**
 * Walks a trie, a few nodes at a time. A node counts as reached only when all below it is: a failed walk is
 * walked again.
 */
async function reachTrie(
  root: TrieRoot,
  load: Load,
  reached: Reached,
  readEntries: ReadEntries,
): Promise<void> {
  const walked = new Set<string>();
  const open = root === null || reached.walked.has(root) ? [] : [root];
  while (open.length > 0) {
    const nodes = await loadNodes(open.splice(-NODES), load);
    const leaves: Entry[] = [];
    for (const [hash, node] of nodes) {
      walked.add(hash);
      if (isLeaf(node)) {
        leaves.push(...node.entries);
        continue;
      }
      for (const child of node.children) {
        if (child !== null && !walked.has(child) && !reached.walked.has(child)) open.push(child);
      }
    }
    const values = leaves.map(({ value }) => value);
    for (const hash of await packedHashes(values, load)) reached.objects.add(hash);
    await readEntries(leaves, load, reached);
    if (isTurnOver()) await nextTurn();
  }
  for (const hash of walked) {
    reached.objects.add(hash);
    reached.walked.add(hash);
  }
}

async function readPages(entries: Entry[], load: Load, reached: Reached): Promise<void> {
  const pages = entries.filter(({ key }) => key.startsWith('p:')).map(({ value }) => value);
  for (const page of await unpack(pages, load)) {
    const record = asPage(page);
    if (record.type === 'document' && record.body !== undefined) reached.objects.add(record.body);
  }
}

async function readFiles(entries: Entry[], load: Load, reached: Reached): Promise<void> {
  const files = await unpack(
    entries.map(({ value }) => value),
    load,
  );
  for (const file of files) reached.blobs.add(asFile(file).blob);
}
