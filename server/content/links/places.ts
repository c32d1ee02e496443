/** Finds pages, files and reusable contents by the paths that addresses name. */
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
 * Where the index lists something: in the list of a folder of the repository, or of a page whose children have
 * slugs, under a name. Lists of siblings are few and long, which takes a tenth of the objects that a key for each
 * would take.
 */
export interface PlaceKey {
  list: string;
  /** Without slashes. */
  name: string;
}

/** The place of what came from a path of a repository. macOS writes accents apart, so they are joined. */
export function gitPlace(path: string): PlaceKey {
  const whole = path.normalize('NFC');
  const folder = folderOf(whole);
  return { list: `g:${folder}`, name: whole.slice(folder === '' ? 0 : folder.length + 1) };
}

/** The place of the pages with a slug below a page, null: at the top. */
export const slugPlace = (parent: string | null, slug: string): PlaceKey => ({
  list: `s:${parent ?? ''}`,
  name: slug.normalize('NFC'),
});

/** An item of a list: a name, and what has it. Ids hold no slash. */
export const placeItem = (name: string, of: string): string => `${name}/${of}`;

/** How the index names a reusable content, beside {@link pageKey} and {@link fileKey}. */
export const reusableKey = (id: string): string => `r:${id}`;

/** The places of a page. */
export function placesOfPage(record: PageRecord): PlaceKey[] {
  const slug = slugOf(record);
  return [
    ...(record.git ? [gitPlace(record.git.path)] : []),
    ...(slug === undefined ? [] : [slugPlace(record.parent, slug)]),
  ];
}

/** The places of a file or a reusable content. */
export function placesOfFile({ git }: FileRecord | ReusableRecord): PlaceKey[] {
  return git ? [gitPlace(git.path)] : [];
}

/**
 * What stands at a place: {@link pageKey}, {@link fileKey} or {@link reusableKey} of each, sorted.
 */
export type Standing = (place: PlaceKey) => readonly string[];

/** Looks up places, all of them at once. */
export type FindPlaces = (places: readonly PlaceKey[]) => Promise<Standing>;

/** Looks for places in the content of a revision; one that was stored without an index is read whole. */
export function placesOf(content: Content): FindPlaces {
  const { index } = content.roots;
  if (!index) {
    let all: Promise<Map<string, string[]>> | undefined;
    return async () => {
      all ??= everyPlace(content);
      return standingIn(await all);
    };
  }
  const known = new Map<string, string[]>();
  return async (places) => {
    const lists = [...new Set(places.map(({ list }) => list))].filter((list) => !known.has(list));
    const found = await get(index.places, lists, content.load);
    for (const list of lists) known.set(list, asIds(found.get(list)));
    return standingIn(known);
  };
}

/** Reads lists by names; a list is taken apart once, however often it is asked. */
function standingIn(lists: ReadonlyMap<string, readonly string[]>): Standing {
  const apart = new Map<string, Map<string, string[]>>();
  return ({ list, name }) => {
    const names = apart.get(list) ?? new Map<string, string[]>();
    if (!apart.has(list)) {
      for (const item of lists.get(list) ?? []) {
        const end = item.lastIndexOf('/');
        names.set(item.slice(0, end), [...(names.get(item.slice(0, end)) ?? []), item.slice(end + 1)]);
      }
      apart.set(list, names);
    }
    return names.get(name) ?? [];
  };
}

/** All places of a revision, from all that it holds. */
async function everyPlace(content: Content): Promise<Map<string, string[]>> {
  const lists = new Map<string, string[]>();
  const add = (places: readonly PlaceKey[], of: string) => {
    for (const { list, name } of places)
      lists.set(list, [...(lists.get(list) ?? []), placeItem(name, of)].sort());
  };
  for (const { record } of walk(await content.readTree())) add(placesOfPage(record), pageKey(record.id));
  for (const file of await content.listFiles()) add(placesOfFile(file), fileKey(file.id));
  for (const reusable of await content.readReusableContents())
    add(placesOfFile(reusable), reusableKey(reusable.id));
  return lists;
}
