import { asFile, asPage } from './content.ts';
import { readRoot } from './content-root.ts';
import type { ReusableRecord } from './records.ts';
import type { TrieRoot } from './trie.ts';
import { type Entry, isLeaf, loadNodes } from './trie-nodes.ts';
import { type Load, packedHashes, unpack } from './values.ts';
import { isYieldDue, yieldToEventLoop } from './yielding.ts';

/** Hashes of the objects and file contents that are reachable from revisions. */
export class ReachableSet {
  readonly objects = new Set<string>();
  readonly blobs = new Set<string>();
  /**
   * Roots and nodes with all descendants reached. Separate from `objects`, because a page's text may equal the text of
   * a node, and reaching it as a text does not reach the descendants of the node.
   */
  readonly walked: Set<string>;

  /** @param walked roots and nodes to skip */
  constructor(walked: Iterable<string> = []) {
    this.walked = new Set(walked);
  }
}

/** Nodes per batch. Limits the memory and the duration of a turn for large organizations. */
const MAX_BATCH_NODES = 256;

/**
 * Adds everything that is reachable from the roots of some revisions to `reachable`. Skips what it already contains, so
 * that the cost of revisions with shared content is proportional to their differences.
 */
export async function addReachable(
  roots: Iterable<string>,
  load: Load,
  reachable: ReachableSet,
): Promise<void> {
  for (const hash of roots) {
    if (reachable.walked.has(hash)) {
      continue;
    }
    const root = await readRoot(hash, load);
    const { reusableContents, variables, computed, redirects } = root;
    const settings = [reusableContents, variables, computed, redirects].filter((part) => part !== undefined);
    for (const object of await packedHashes(settings, load)) {
      reachable.objects.add(object);
    }
    const [reusable] = await unpack([root.reusableContents], load);
    // planContent wrote these from such records.
    for (const { body } of (reusable ?? []) as unknown as ReusableRecord[]) {
      reachable.objects.add(body);
    }
    await addReachableTrie(root.pages, load, reachable, readPages);
    await addReachableTrie(root.files, load, reachable, readFiles);
    for (const index of [root.index?.places, root.index?.links]) {
      await addReachableTrie(index ?? null, load, reachable, async () => {});
    }
    // Last, so that a retry does not skip a walk that failed halfway.
    reachable.objects.add(hash);
    reachable.walked.add(hash);
  }
}

type ReadEntries = (entries: Entry[], load: Load, reachable: ReachableSet) => Promise<void>;

/**
 * Traverses a trie in batches. Nodes are marked as reached only after all their descendants, so that a failed traversal
 * is repeated.
 */
async function addReachableTrie(
  root: TrieRoot,
  load: Load,
  reachable: ReachableSet,
  readEntries: ReadEntries,
): Promise<void> {
  const walked = new Set<string>();
  const open = root === null || reachable.walked.has(root) ? [] : [root];
  while (open.length > 0) {
    const nodes = await loadNodes(open.splice(-MAX_BATCH_NODES), load);
    const leaves: Entry[] = [];
    for (const [hash, node] of nodes) {
      walked.add(hash);
      if (isLeaf(node)) {
        leaves.push(...node.entries);
        continue;
      }
      for (const child of node.children) {
        if (child !== null && !walked.has(child) && !reachable.walked.has(child)) {
          open.push(child);
        }
      }
    }
    const values = leaves.map(({ value }) => value);
    for (const hash of await packedHashes(values, load)) {
      reachable.objects.add(hash);
    }
    await readEntries(leaves, load, reachable);
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  for (const hash of walked) {
    reachable.objects.add(hash);
    reachable.walked.add(hash);
  }
}

async function readPages(entries: Entry[], load: Load, reachable: ReachableSet): Promise<void> {
  const pages = entries.filter(({ key }) => key.startsWith('p:')).map(({ value }) => value);
  for (const page of await unpack(pages, load)) {
    const record = asPage(page);
    if (record.type === 'document' && record.body !== undefined) {
      reachable.objects.add(record.body);
    }
  }
}

async function readFiles(entries: Entry[], load: Load, reachable: ReachableSet): Promise<void> {
  const files = await unpack(
    entries.map(({ value }) => value),
    load,
  );
  for (const file of files) {
    reachable.blobs.add(asFile(file).blob);
  }
}
