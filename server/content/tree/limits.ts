import { fileLimitExceeded, pageDepthExceeded, pageLimitExceeded } from '../../errors/errors.ts';
import { asIds, type Content } from './content.ts';
import { childrenKey, type PageRecord } from './records.ts';
import { get, size } from './trie.ts';

/** Entries of a page tree: a page counts as one, a page with subpages as two. */
export const MAX_TREE_ENTRIES = 100_000;
/** Levels of a page tree. The path of a page contains the slugs of all its ancestors. */
export const MAX_PAGE_DEPTH = 50;
/** Files of the content of a space or change request. */
export const MAX_FILES = 100_000;

interface ContentLimits {
  treeEntries: number;
  pageDepth: number;
  files: number;
}

const LIMITS: ContentLimits = {
  treeEntries: MAX_TREE_ENTRIES,
  pageDepth: MAX_PAGE_DEPTH,
  files: MAX_FILES,
};

/**
 * Rejects a change that makes content exceed a limit. Content that already exceeds one may be reduced, or changed in
 * other respects. Checks only what changed, and the ancestors and descendants of new and moved pages.
 *
 * @param pages the changed pages by ID
 * @throws ContractError 409
 */
export async function requireWithinLimits(
  before: Content,
  after: Content,
  pages: ReadonlyMap<string, PageRecord | undefined>,
  { treeEntries, pageDepth, files }: ContentLimits = LIMITS,
): Promise<void> {
  const exceeds = async (limit: number, sizeOf: (content: Content) => Promise<number>) => {
    const count = await sizeOf(after);
    return count > limit && count > (await sizeOf(before));
  };
  if (await exceeds(treeEntries, (content) => size(content.roots.pages, content.load))) {
    throw pageLimitExceeded(treeEntries);
  }
  if (await exceeds(files, (content) => content.countFiles())) {
    throw fileLimitExceeded(files);
  }
  if (await isTooDeep(before, after, pages, pageDepth)) {
    throw pageDepthExceeded(pageDepth);
  }
}

/** Returns whether a new or moved page, or one of its descendants, is too deep in the tree. */
async function isTooDeep(
  before: Content,
  after: Content,
  pages: ReadonlyMap<string, PageRecord | undefined>,
  pageDepth: number,
): Promise<boolean> {
  const records = new Map([...pages].flatMap(([id, record]) => (record ? [[id, record]] : [])));
  const nested = [...records.values()].filter(({ parent }) => parent !== null);
  const previous = await before.readPages(nested.map(({ id }) => id));
  const moved = nested.filter(({ id, parent }) => previous.get(id)?.parent !== parent);
  for (let level = moved; level.length > 0; ) {
    const parents = level.flatMap(({ parent }) => (parent === null || records.has(parent) ? [] : [parent]));
    level = [...(await after.readPages(new Set(parents))).values()];
    for (const record of level) {
      records.set(record.id, record);
    }
  }
  const depths = new Map<string, number>();
  for (const { id } of moved) {
    depths.set(id, depthOf(id, records));
  }
  for (let level = new Map(depths); level.size > 0; ) {
    if ([...level.values()].some((depth) => depth > pageDepth)) {
      return true;
    }
    const ids = [...level.keys()];
    const lists = await get(after.roots.pages, ids.map(childrenKey), after.load);
    const nextLevel = new Map<string, number>();
    for (const [id, depth] of level) {
      for (const child of asIds(lists.get(childrenKey(id)))) {
        if (depth >= (depths.get(child) ?? 0)) {
          nextLevel.set(child, depth + 1);
        }
      }
    }
    for (const [id, depth] of nextLevel) {
      depths.set(id, depth);
    }
    level = nextLevel;
  }
  return false;
}

function depthOf(id: string, records: ReadonlyMap<string, PageRecord>): number {
  let depth = 0;
  for (let at: string | null = id; at !== null; at = records.get(at)?.parent ?? null) {
    depth++;
  }
  return depth;
}
