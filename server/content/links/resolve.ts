/**
 * The one resolver of addresses in content: what they lead to in a revision. Loads what is asked for and the way
 * there, all of a level at once.
 */
import { asFile, asIds, type Content, type PagePlace } from '../tree/content.ts';
import { childrenKey, type FileRecord, fileKey, type ReusableRecord } from '../tree/records.ts';
import { get } from '../tree/trie.ts';
import type { Address } from './address.ts';
import { type FindPlaces, gitPlace, type PlaceKey, placesOf, slugPlace } from './places.ts';

export {
  type Address,
  AT_ROOT,
  addressOfRef,
  anchorOf,
  type PlaceOfText,
  parseAddress,
  placeOfPage,
  placeOfReusable,
  writeRef,
} from './address.ts';

/** What an address leads to. */
export type Target =
  | { kind: 'page'; page: PagePlace; anchor?: string }
  | { kind: 'file'; file: FileRecord }
  | { kind: 'reusable-content'; reusable: ReusableRecord }
  /** A place in the text that holds the address. */
  | { kind: 'here'; anchor: string }
  | { kind: 'outside'; url: string }
  /** Not part of this content: another space, a person, a specification … Whether it is there is not looked at. */
  | { kind: 'elsewhere'; address: Address };

/** The folder of a page's text in its repository is looked for no deeper than this. */
const DEEPEST_FIRST = 4;

/**
 * What addresses lead to, by the very objects that were given. Those that lead nowhere are left out: they are
 * broken.
 *
 * @param space the space that the content is of, so that addresses which name it are known as its own
 */
export async function resolve<A extends Address>(
  addresses: Iterable<A>,
  content: Content,
  space?: string,
): Promise<Map<A, Target>> {
  const all = [...addresses];
  const named = new Map<A, Named>();
  const paths: Array<[A, string]> = [];
  for (const address of all) {
    if (address.kind === 'path') paths.push([address, address.path]);
    const name = nameOf(address, space);
    if (name) named.set(address, name);
  }
  if (paths.length > 0) {
    const found = await findPaths(
      paths.map(([, path]) => path),
      content,
    );
    for (const [address, path] of paths) {
      const name = found.get(path);
      if (name) named.set(address, name);
    }
  }
  return targetsOf(named, content);
}

/** What a path leads to, or what an address names, before anyone looked whether it is there. */
type Named =
  | { kind: 'page' | 'file' | 'reusable-content'; id: string }
  | Extract<Target, { kind: 'here' | 'outside' | 'elsewhere' }>;

function nameOf(address: Address, own: string | undefined): Named | undefined {
  switch (address.kind) {
    case 'path':
    case 'nowhere':
      return undefined;
    case 'anchor':
      return { kind: 'here', anchor: address.anchor };
    case 'outside':
      return { kind: 'outside', url: address.url };
    case 'file':
      return { kind: 'file', id: address.file };
    case 'page':
      if (address.space !== undefined && address.space !== own) return { kind: 'elsewhere', address };
      return { kind: 'page', id: address.page };
    case 'reusable-content':
      if (address.space !== undefined && address.space !== own) return { kind: 'elsewhere', address };
      return { kind: 'reusable-content', id: address.reusableContent };
    default:
      return { kind: 'elsewhere', address };
  }
}

/** Loads what was named, and leaves out what is not there. */
async function targetsOf<A extends Address>(
  named: ReadonlyMap<A, Named>,
  content: Content,
): Promise<Map<A, Target>> {
  const ids = (kind: Named['kind']) =>
    [...named.values()].flatMap((name) => (name.kind === kind && 'id' in name ? [name.id] : []));
  const files = ids('file').map(fileKey);
  const [pages, fileValues, reusables] = await Promise.all([
    content.readPlaces(new Set(ids('page'))),
    get(content.roots.files, files, content.load),
    ids('reusable-content').length > 0 ? content.readReusableContents() : [],
  ]);
  const result = new Map<A, Target>();
  for (const [address, name] of named) {
    if (!('id' in name)) {
      result.set(address, name);
      continue;
    }
    const page = name.kind === 'page' ? pages.get(name.id) : undefined;
    const file = name.kind === 'file' ? fileValues.get(fileKey(name.id)) : undefined;
    const reusable =
      name.kind === 'reusable-content' ? reusables.find(({ id }) => id === name.id) : undefined;
    const anchor = 'anchor' in address && address.anchor !== undefined ? { anchor: address.anchor } : {};
    if (page) result.set(address, { kind: 'page', page, ...anchor });
    else if (file !== undefined) result.set(address, { kind: 'file', file: asFile(file) });
    else if (reusable) result.set(address, { kind: 'reusable-content', reusable });
  }
  return result;
}

async function findPaths(paths: readonly string[], content: Content): Promise<Map<string, Named>> {
  const find = placesOf(content);
  const roots = await rootsOf(content);
  const found = new Map<string, Named>();
  const places = new Map(paths.map((path) => [path, gitPlaces(path, roots)]));
  const standing = await find([...places.values()].flat());
  for (const [path, wanted] of places) {
    const names = wanted.map(standing).find(({ length }) => length > 0);
    const name = preferred(names ?? []);
    if (name) found.set(path, name);
  }
  const rest = paths.filter((path) => !found.has(path));
  for (const [path, id] of await findByPagePaths(rest, roots, find, content))
    found.set(path, { kind: 'page', id });
  return found;
}

/** The places that a path may name in the repository, in order: itself, then, for a folder, its own page. */
function gitPlaces(path: string, roots: readonly string[]): PlaceKey[] {
  return roots.flatMap((root) => {
    const whole = joined(root, path);
    return [whole, joined(whole, 'README.md'), joined(whole, 'readme.md')]
      .filter((one) => one !== '')
      .map(gitPlace);
  });
}

const KINDS = { p: 'page', f: 'file', r: 'reusable-content' } as const;

/** Of several things from one path, a page comes first. */
function preferred(names: readonly string[]): Named | undefined {
  const name = names.find((one) => one.startsWith('p:')) ?? names[0];
  if (name === undefined) return undefined;
  const letter = name.startsWith('p:') ? 'p' : name.startsWith('f:') ? 'f' : 'r';
  return { kind: KINDS[letter], id: name.slice(2) };
}

/**
 * The folders that a path from the content's root may start from. Content that came from a folder of a repository
 * keeps the paths of the whole repository, so that folder and those above it count as root, too; it is told from
 * the first page of the tree.
 */
export async function rootsOf(content: Content): Promise<string[]> {
  let parent: string | null = null;
  for (let depth = 0; depth < DEEPEST_FIRST; depth++) {
    const key = childrenKey(parent);
    const [first]: string[] = asIds((await get(content.roots.pages, [key], content.load)).get(key));
    if (first === undefined) break;
    const path = (await content.readPages([first])).get(first)?.git?.path;
    if (path !== undefined) {
      const folders = path.split('/').slice(0, -1);
      return ['', ...folders.map((_, at) => folders.slice(0, at + 1).join('/'))];
    }
    parent = first;
  }
  return [''];
}

/** The paths in the space that a written path may mean, the likeliest first. */
export function pagePaths(path: string, roots: readonly string[]): string[] {
  const whole = roots.flatMap((root) => {
    if (root === '') return [path];
    return path.startsWith(`${root}/`) ? [path.slice(root.length + 1)] : [];
  });
  return [
    ...new Set(
      whole.flatMap((one) => [
        one,
        one.replace(/\.(?:md|markdown)$/, ''),
        one.replace(/\/(?:README|readme)\.md$/, ''),
      ]),
    ),
  ].filter((one) => one !== '');
}

/** A way down the slugs of pages. */
interface Walk {
  path: string;
  /** Which of the paths that `path` may mean this is; the first that is there counts. */
  rank: number;
  slugs: string[];
  at: string | null;
}

async function findByPagePaths(
  paths: readonly string[],
  roots: readonly string[],
  find: FindPlaces,
  content: Content,
): Promise<Map<string, string>> {
  const best = new Map<string, { rank: number; id: string }>();
  let open: Walk[] = paths.flatMap((path) =>
    pagePaths(path, roots).map((one, rank) => ({ path, rank, slugs: one.split('/'), at: null })),
  );
  while (open.length > 0) {
    const standing = await find(open.map(({ at, slugs: [slug = ''] }) => slugPlace(at, slug)));
    const next: Walk[] = [];
    for (const walk of open) {
      const [slug = '', ...slugs] = walk.slugs;
      const names = standing(slugPlace(walk.at, slug));
      const id = names.length > 1 ? await firstOf(names, walk.at, content) : names[0]?.slice(2);
      if (id === undefined) continue;
      if (slugs.length > 0) next.push({ ...walk, slugs, at: id });
      else if ((best.get(walk.path)?.rank ?? Infinity) > walk.rank)
        best.set(walk.path, { rank: walk.rank, id });
    }
    open = next;
  }
  return new Map([...best].map(([path, { id }]) => [path, id]));
}

/** Of pages with the same path, the first in the order of the tree. */
async function firstOf(
  names: readonly string[],
  parent: string | null,
  content: Content,
): Promise<string | undefined> {
  const key = childrenKey(parent);
  const ids = asIds((await get(content.roots.pages, [key], content.load)).get(key));
  return ids.find((id) => names.includes(`p:${id}`));
}

function joined(folder: string, path: string): string {
  return [folder, path].filter((part) => part !== '').join('/');
}
