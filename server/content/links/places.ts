/** Finds pages, files and reusable contents by the paths that addresses name. */
import { asIds, type Content } from '../store/content.ts';
import {
  type FileRecord,
  fileKey,
  type PageRecord,
  pageKey,
  type ReusableRecord,
  slugOf,
  walk,
} from '../store/records.ts';
import { get } from '../store/trie.ts';

/** The key of what came from a path of a repository. macOS writes accents apart, so they are joined. */
export const gitKey = (path: string): string => `g:${path.normalize('NFC')}`;
/** The key of the pages with a slug below a page, null: at the top. */
export const slugKey = (parent: string | null, slug: string): string =>
  `s:${parent ?? ''}/${slug.normalize('NFC')}`;
/** How the index names a reusable content, beside {@link pageKey} and {@link fileKey}. */
export const reusableKey = (id: string): string => `r:${id}`;

/** The keys that lead to a page. */
export function keysOfPage(record: PageRecord): string[] {
  const slug = slugOf(record);
  return [
    ...(record.git ? [gitKey(record.git.path)] : []),
    ...(slug === undefined ? [] : [slugKey(record.parent, slug)]),
  ];
}

/** The keys that lead to a file or a reusable content. */
export function keysOfFile({ git }: FileRecord | ReusableRecord): string[] {
  return git ? [gitKey(git.path)] : [];
}

/** Answers what is under some keys: {@link pageKey}, {@link fileKey} or {@link reusableKey} of each, sorted. */
export type FindPlaces = (keys: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/** Looks for places in the content of a revision; one that was stored without an index is read whole. */
export function placesOf(content: Content): FindPlaces {
  const { index } = content.roots;
  if (index) {
    return async (keys) => {
      const found = await get(index.places, keys, content.load);
      return new Map([...found].map(([key, names]) => [key, asIds(names)]));
    };
  }
  let all: Promise<Map<string, string[]>> | undefined;
  return async () => {
    all ??= everyPlace(content);
    return all;
  };
}

/** All places of a revision, from all that it holds. */
export async function everyPlace(content: Content): Promise<Map<string, string[]>> {
  const places = new Map<string, string[]>();
  const add = (keys: readonly string[], name: string) => {
    for (const key of keys) places.set(key, [...(places.get(key) ?? []), name].sort());
  };
  for (const { record } of walk(await content.readTree())) add(keysOfPage(record), pageKey(record.id));
  for (const file of await content.listFiles()) add(keysOfFile(file), fileKey(file.id));
  for (const reusable of await content.readReusableContents())
    add(keysOfFile(reusable), reusableKey(reusable.id));
  return places;
}
