/** Finds pages, files and reusable contents by path. */
import { folderOf } from '../repository/files.ts';
import { asIds, type Content } from '../tree/content.ts';
import {
  type FileRecord,
  fileKey,
  type PageRecord,
  pageKey,
  type ReusableRecord,
  slugOf,
  walk,
} from '../tree/records.ts';
import { get } from '../tree/trie.ts';

/**
 * Location of an entry in the index: its name in the list of a repository folder, or its slug in the list of a page's
 * children. A few long lists of siblings need a tenth of the objects that one key per entry would need.
 */
export interface LocationKey {
  list: string;
  /** Without slashes. */
  name: string;
}

/** Returns the location of a repository path. macOS decomposes accented characters, so the path is normalized. */
export function gitLocation(path: string): LocationKey {
  const whole = path.normalize('NFC');
  const folder = folderOf(whole);
  return { list: `g:${folder}`, name: whole.slice(folder === '' ? 0 : folder.length + 1) };
}

/** Returns the location of the pages with a slug under a parent page (null for the top level). */
export const slugLocation = (parent: string | null, slug: string): LocationKey => ({
  list: `s:${parent ?? ''}`,
  name: slug.normalize('NFC'),
});

/** Formats an item of a list from a name and the key of its owner. IDs contain no slashes. */
export const locationItem = (name: string, of: string): string => `${name}/${of}`;

/** Returns the key of a reusable content in the index. Compare {@link pageKey} and {@link fileKey}. */
export const reusableKey = (id: string): string => `r:${id}`;

/** Returns the locations of a page. */
export function locationsOfPage(record: PageRecord): LocationKey[] {
  const slug = slugOf(record);
  return [
    ...(record.git ? [gitLocation(record.git.path)] : []),
    ...(slug === undefined ? [] : [slugLocation(record.parent, slug)]),
  ];
}

/** Returns the locations of a file or a reusable content. */
export function locationsOfFile({ git }: FileRecord | ReusableRecord): LocationKey[] {
  return git ? [gitLocation(git.path)] : [];
}

/** Returns the sorted keys of the entries at a location: {@link pageKey}, {@link fileKey} or {@link reusableKey}. */
export type LocationLookup = (location: LocationKey) => readonly string[];

/** Looks up locations in one batch. */
export type FindLocations = (locations: readonly LocationKey[]) => Promise<LocationLookup>;

/** Creates a lookup for the locations in a revision. A revision that was stored without an index is read completely. */
export function locationFinder(content: Content): FindLocations {
  const { index } = content.roots;
  if (!index) {
    let all: Promise<Map<string, string[]>> | undefined;
    return async () => {
      all ??= readAllLocations(content);
      return lookupIn(await all);
    };
  }
  const loaded = new Map<string, string[]>();
  return async (locations) => {
    const lists = [...new Set(locations.map(({ list }) => list))].filter((list) => !loaded.has(list));
    const values = await get(index.places, lists, content.load);
    for (const list of lists) {
      loaded.set(list, asIds(values.get(list)));
    }
    return lookupIn(loaded);
  };
}

/** Creates a lookup in lists by name. Each list is parsed only once. */
function lookupIn(lists: ReadonlyMap<string, readonly string[]>): LocationLookup {
  const parsed = new Map<string, Map<string, string[]>>();
  return ({ list, name }) => {
    const names = parsed.get(list) ?? new Map<string, string[]>();
    if (!parsed.has(list)) {
      for (const item of lists.get(list) ?? []) {
        const end = item.lastIndexOf('/');
        names.set(item.slice(0, end), [...(names.get(item.slice(0, end)) ?? []), item.slice(end + 1)]);
      }
      parsed.set(list, names);
    }
    return names.get(name) ?? [];
  };
}

/** Collects all locations of a revision from its content. */
async function readAllLocations(content: Content): Promise<Map<string, string[]>> {
  const lists = new Map<string, string[]>();
  const add = (locations: readonly LocationKey[], of: string) => {
    for (const { list, name } of locations) {
      lists.set(list, [...(lists.get(list) ?? []), locationItem(name, of)].sort());
    }
  };
  for (const { record } of walk(await content.readTree())) {
    add(locationsOfPage(record), pageKey(record.id));
  }
  for (const file of await content.listFiles()) {
    add(locationsOfFile(file), fileKey(file.id));
  }
  for (const reusable of await content.readReusableContents()) {
    add(locationsOfFile(reusable), reusableKey(reusable.id));
  }
  return lists;
}
