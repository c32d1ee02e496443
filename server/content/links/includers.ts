/** Finds the pages that include other pages: their texts depend on the included pages. */
import { asIds, type Content, type LocatedPage } from '../tree/content.ts';
import { get } from '../tree/trie.ts';
import { INCLUDES_KEY, includeKey, readEnd } from './keys.ts';
import { rootsOf } from './resolve.ts';
import { type Linked, writtenPathsTo } from './written-addresses.ts';

/** Returns the IDs of the pages that include files of the repository. */
export async function includingPages({ roots: { index }, load }: Content): Promise<Set<string>> {
  const lists = index ? await get(index.links, [INCLUDES_KEY], load) : new Map();
  const sources = asIds(lists.get(INCLUDES_KEY)).map((end) => readEnd(end).source);
  return new Set(sources.flatMap((source) => (source.kind === 'page' ? [source.id] : [])));
}

/**
 * Returns the IDs of the pages that include some pages, also through other pages and files.
 *
 * @param pages as they are, and as they were if they had another location
 */
export async function includersOf(pages: readonly LocatedPage[], content: Content): Promise<Set<string>> {
  const { index } = content.roots;
  const lists = index ? await get(index.links, [INCLUDES_KEY], content.load) : new Map();
  if (!index || asIds(lists.get(INCLUDES_KEY)).length === 0) {
    return new Set();
  }
  const [roots, reusables] = await Promise.all([rootsOf(content), content.readReusableContents()]);
  const reusablesById = new Map(reusables.map((record) => [record.id, record]));
  const includers = new Set<string>();
  const followed = new Set<string>();
  let level: Linked[] = pages.map((page) => ({ page }));
  while (level.length > 0) {
    const keys = new Set(level.flatMap((linked) => writtenPathsTo(linked, roots).map(includeKey)));
    const found = await get(index.links, [...keys], content.load);
    const ends = new Set([...found.values()].flatMap(asIds).filter((end) => !followed.has(end)));
    const ids: string[] = [];
    level = [];
    for (const end of ends) {
      followed.add(end);
      const { source } = readEnd(end);
      if (source.kind === 'page') {
        ids.push(source.id);
        includers.add(source.id);
      }
      const file = source.kind === 'reusable-content' ? reusablesById.get(source.id) : undefined;
      level.push(...(file ? [{ file }] : []));
    }
    const located = await content.readLocatedPages(new Set(ids));
    level.push(...[...located.values()].map((page) => ({ page })));
  }
  return includers;
}
