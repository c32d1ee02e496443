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
 * Location of an entry in the index: its name in the list of a repository folder, or of a page whose children have
 * slugs. A few long lists of siblings need a tenth of the objects that one key per entry would need.
 */
export interface PlaceKey {
  list: string;
  /** Without slashes. */
  name: string;
}

/** Returns the place of a repository path. macOS decomposes accented characters, so the path is normalized. */
export function gitPlace(path: string): PlaceKey {
  const whole = path.normalize('NFC');
  const folder = folderOf(whole);
  return { list: `g:${folder}`, name: whole.slice(folder === '' ? 0 : folder.length + 1) };
}

/** Returns the place of the pages with a slug under a parent page (null for the top level). */
export const slugPlace = (parent: string | null, slug: string): PlaceKey => ({
  list: `s:${parent ?? ''}`,
  name: slug.normalize('NFC'),
});

/** Formats an item of a list from a name and the key of its owner. IDs contain no slashes. */
export const placeItem = (name: string, of: string): string => `${name}/${of}`;

/** Returns the key of a reusable content in the index. Compare {@link pageKey} and {@link fileKey}. */
export const reusableKey = (id: string): string => `r:${id}`;

/** Returns the places of a page. */
export function placesOfPage(record: PageRecord): PlaceKey[] {
  const slug = slugOf(record);
  return [
    ...(record.git ? [gitPlace(record.git.path)] : []),
    ...(slug === undefined ? [] : [slugPlace(record.parent, slug)]),
  ];
}

/** Returns the places of a file or a reusable content. */
export function placesOfFile({ git }: FileRecord | ReusableRecord): PlaceKey[] {
  return git ? [gitPlace(git.path)] : [];
}

/** Returns the sorted keys of the entries at a place: {@link pageKey}, {@link fileKey} or {@link reusableKey}. */
export type PlaceLookup = (place: PlaceKey) => readonly string[];

/** Looks up places in one batch. */
export type FindPlaces = (places: readonly PlaceKey[]) => Promise<PlaceLookup>;

/** Creates a lookup for the places in a revision. A revision that was stored without an index is read completely. */
export function placesOf(content: Content): FindPlaces {
  const { index } = content.roots;
  if (!index) {
    let all: Promise<Map<string, string[]>> | undefined;
    return async () => {
      all ??= everyPlace(content);
      return lookupIn(await all);
    };
  }
  const loaded = new Map<string, string[]>();
  return async (places) => {
    const lists = [...new Set(places.map(({ list }) => list))].filter((list) => !loaded.has(list));
    const values = await get(index.places, lists, content.load);
    for (const list of lists) {
      loaded.set(list, asIds(values.get(list)));
    }
    return lookupIn(loaded);
  };
}

/** Creates a lookup in lists by name. Each list is parsed only once. */
function lookupIn(lists: ReadonlyMap<string, readonly string[]>): PlaceLookup {
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

/** Collects all places of a revision from its content. */
async function everyPlace(content: Content): Promise<Map<string, string[]>> {
  const lists = new Map<string, string[]>();
  const add = (places: readonly PlaceKey[], of: string) => {
    for (const { list, name } of places) {
      lists.set(list, [...(lists.get(list) ?? []), placeItem(name, of)].sort());
    }
  };
  for (const { record } of walk(await content.readTree())) {
    add(placesOfPage(record), pageKey(record.id));
  }
  for (const file of await content.listFiles()) {
    add(placesOfFile(file), fileKey(file.id));
  }
  for (const reusable of await content.readReusableContents()) {
    add(placesOfFile(reusable), reusableKey(reusable.id));
  }
  return lists;
}
