/**
 * Resolves link destinations in a revision. Loads only the requested entries and the path to them, one batch per level.
 */
import { folderOf } from '../repository/files.ts';
import { asFile, asIds, type Content, type LocatedPage } from '../tree/content.ts';
import { childrenKey, type FileRecord, fileKey, type ReusableRecord } from '../tree/records.ts';
import { get } from '../tree/trie.ts';
import type { Address } from './address.ts';
import {
  type FindLocations,
  gitLocation,
  type LocationKey,
  locationFinder,
  slugLocation,
} from './locations.ts';
import { joinedPath, sourcePaths } from './served-paths.ts';

export {
  type Address,
  AT_ROOT,
  addressOfRef,
  anchorOf,
  formatAddress,
  locationOfPage,
  locationOfReusable,
  parseAddress,
  type TextLocation,
  writeRef,
} from './address.ts';

/** The target of a link. */
export type Target =
  | { kind: 'page'; page: LocatedPage; anchor?: string }
  | { kind: 'file'; file: FileRecord }
  | { kind: 'reusable-content'; reusable: ReusableRecord }
  /** A location in the text that contains the link. */
  | { kind: 'anchor'; anchor: string }
  | { kind: 'url'; url: string }
  /** Not part of this content, such as another space, a user or a specification. Its existence is not checked. */
  | { kind: 'external'; address: Address };

/** Maximum depth of the search for the repository folder of the first page. */
const MAX_FIRST_PAGE_DEPTH = 4;

/**
 * Resolves link destinations, identified by object identity. Broken ones are omitted.
 *
 * @param space the space of the content, to recognize destinations that name it as local
 */
export async function resolve<A extends Address>(
  addresses: Iterable<A>,
  content: Content,
  space?: string,
): Promise<Map<A, Target>> {
  const all = [...addresses];
  const named = new Map<A, NamedTarget>();
  const paths: Array<[A, string]> = [];
  for (const address of all) {
    if (address.kind === 'path') {
      paths.push([address, address.path]);
    }
    const name = namedTargetOf(address, space);
    if (name) {
      named.set(address, name);
    }
  }
  if (paths.length > 0) {
    const names = await findPaths(
      paths.map(([, path]) => path),
      content,
    );
    for (const [address, path] of paths) {
      const name = names.get(path);
      if (name) {
        named.set(address, name);
      }
    }
  }
  return targetsOf(named, content);
}

/** The target of a path or destination before its existence is checked. */
type NamedTarget =
  | { kind: 'page' | 'file' | 'reusable-content'; id: string }
  | Extract<Target, { kind: 'anchor' | 'url' | 'external' }>;

function namedTargetOf(address: Address, ownSpace: string | undefined): NamedTarget | undefined {
  switch (address.kind) {
    case 'path':
    case 'invalid':
      return undefined;
    case 'anchor':
      return { kind: 'anchor', anchor: address.anchor };
    case 'url':
      return { kind: 'url', url: address.url };
    case 'file':
      return { kind: 'file', id: address.file };
    case 'page':
      if (address.space !== undefined && address.space !== ownSpace) {
        return { kind: 'external', address };
      }
      return { kind: 'page', id: address.page };
    case 'reusable-content':
      if (address.space !== undefined && address.space !== ownSpace) {
        return { kind: 'external', address };
      }
      return { kind: 'reusable-content', id: address.reusableContent };
    default:
      return { kind: 'external', address };
  }
}

/** Loads the named targets. Omits those that do not exist. */
async function targetsOf<A extends Address>(
  named: ReadonlyMap<A, NamedTarget>,
  content: Content,
): Promise<Map<A, Target>> {
  const ids = (kind: NamedTarget['kind']) =>
    [...named.values()].flatMap((name) => (name.kind === kind && 'id' in name ? [name.id] : []));
  const files = ids('file').map(fileKey);
  const [pages, fileValues, reusables] = await Promise.all([
    content.readLocatedPages(new Set(ids('page'))),
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
    if (page) {
      result.set(address, { kind: 'page', page, ...anchor });
    } else if (file !== undefined) {
      result.set(address, { kind: 'file', file: asFile(file) });
    } else if (reusable) {
      result.set(address, { kind: 'reusable-content', reusable });
    }
  }
  return result;
}

async function findPaths(paths: readonly string[], content: Content): Promise<Map<string, NamedTarget>> {
  const find = locationFinder(content);
  const { roots, booksIn } = await surroundingsOf(content);
  const result = new Map<string, NamedTarget>();
  const locations = new Map(paths.map((path) => [path, gitLocations(path, roots)]));
  const lookup = await find([...locations.values()].flat());
  for (const [path, candidates] of locations) {
    const names = candidates.map(lookup).find(({ length }) => length > 0);
    const name = preferred(names ?? []);
    if (name) {
      result.set(path, name);
    }
  }
  const rest = paths.filter((path) => !result.has(path));
  for (const [path, id] of await findByPagePaths(rest, roots, find, content)) {
    result.set(path, { kind: 'page', id });
  }
  const sources = new Map(
    rest
      .filter((path) => !result.has(path))
      .map((path) => [
        path,
        [
          ...roots.flatMap((root) => sourcePaths(joinedPath(root, path)).map(gitLocation)),
          ...(booksIn === undefined ? [] : sharedLocations(path, booksIn)),
        ],
      ]),
  );
  const lookupSource = await find([...sources.values()].flat());
  for (const [path, candidates] of sources) {
    const name = preferred(candidates.map(lookupSource).find(({ length }) => length > 0) ?? []);
    if (name) {
      result.set(path, name);
    }
  }
  return result;
}

/**
 * Lists the locations in the repository that a path may refer to, in order of precedence: itself, then the README of a
 * folder.
 */
function gitLocations(path: string, roots: readonly string[]): LocationKey[] {
  return roots.flatMap((root) => {
    const whole = joinedPath(root, path);
    return [whole, joinedPath(whole, 'README.md'), joinedPath(whole, 'readme.md')]
      .filter((candidate) => candidate !== '')
      .map(gitLocation);
  });
}

const KINDS = { p: 'page', f: 'file', r: 'reusable-content' } as const;

/** Returns the preferred entry of a path: a page if there is one. */
function preferred(names: readonly string[]): NamedTarget | undefined {
  const name = names.find((candidate) => candidate.startsWith('p:')) ?? names[0];
  if (name === undefined) {
    return undefined;
  }
  const letter = name.startsWith('p:') ? 'p' : name.startsWith('f:') ? 'f' : 'r';
  return { kind: KINDS[letter], id: name.slice(2) };
}

/**
 * Lists the folders that a path from the content's root may be relative to. Content from a folder of a repository
 * retains the paths of the whole repository, so this folder and its ancestors are roots, too. It is determined by the
 * first page of the tree.
 */
export async function rootsOf(content: Content): Promise<string[]> {
  return (await surroundingsOf(content)).roots;
}

/** The folders of the repository around the first page. */
interface Surroundings {
  roots: string[];
  /** The folder that contains those of several books; undefined for a single book. */
  booksIn?: string;
}

async function surroundingsOf(content: Content): Promise<Surroundings> {
  let parent: string | null = null;
  for (let depth = 0; depth < MAX_FIRST_PAGE_DEPTH; depth++) {
    const key = childrenKey(parent);
    const [first]: string[] = asIds((await get(content.roots.pages, [key], content.load)).get(key));
    if (first === undefined) {
      break;
    }
    const record = (await content.readPages([first])).get(first);
    if (record?.git) {
      const folders = record.git.path.split('/').slice(0, -1);
      const roots = ['', ...folders.map((_, at) => folders.slice(0, at + 1).join('/'))];
      const book = record.type === 'document' ? record.linksRoot : undefined;
      return { roots, ...(book !== undefined && { booksIn: folderOf(book) }) };
    }
    parent = first;
  }
  return { roots: [''] };
}

/** Lists the locations that several books share: a path from the root of a book may lead next to the book. */
function sharedLocations(path: string, booksIn: string): LocationKey[] {
  const prefix = booksIn === '' ? '' : `${booksIn}/`;
  const end = path.startsWith(prefix) ? path.indexOf('/', prefix.length) : -1;
  const shared = end < 0 ? '' : path.slice(end + 1);
  return shared === '' ? [] : [gitLocation(`${prefix}${shared}`)];
}

/** Lists the paths in the space that a written path may refer to, in order of precedence. */
export function pagePaths(path: string, roots: readonly string[]): string[] {
  const whole = roots.flatMap((root) => {
    if (root === '') {
      return [path];
    }
    return path.startsWith(`${root}/`) ? [path.slice(root.length + 1)] : [];
  });
  return [
    ...new Set(
      whole.flatMap((candidate) => [
        candidate,
        candidate.replace(/\.(?:md|markdown)$/, ''),
        candidate.replace(/\/(?:README|readme)\.md$/, ''),
      ]),
    ),
  ].filter((candidate) => candidate !== '');
}

/** A traversal of page slugs. */
interface Walk {
  path: string;
  /** Precedence among the paths that `path` may refer to; the first existing one applies. */
  rank: number;
  slugs: string[];
  at: string | null;
}

async function findByPagePaths(
  paths: readonly string[],
  roots: readonly string[],
  find: FindLocations,
  content: Content,
): Promise<Map<string, string>> {
  const best = new Map<string, { rank: number; id: string }>();
  let open: Walk[] = paths.flatMap((path) =>
    pagePaths(path, roots).map((candidate, rank) => ({ path, rank, slugs: candidate.split('/'), at: null })),
  );
  while (open.length > 0) {
    const lookup = await find(open.map(({ at, slugs: [slug = ''] }) => slugLocation(at, slug)));
    const next: Walk[] = [];
    for (const walk of open) {
      const [slug = '', ...slugs] = walk.slugs;
      const names = lookup(slugLocation(walk.at, slug));
      const id = names.length > 1 ? await firstOf(names, walk.at, content) : names[0]?.slice(2);
      if (id === undefined) {
        continue;
      }
      if (slugs.length > 0) {
        next.push({ ...walk, slugs, at: id });
      } else if ((best.get(walk.path)?.rank ?? Infinity) > walk.rank) {
        best.set(walk.path, { rank: walk.rank, id });
      }
    }
    open = next;
  }
  return new Map([...best].map(([path, { id }]) => [path, id]));
}

/** Returns the first of several pages with the same path, in tree order. */
async function firstOf(
  names: readonly string[],
  parent: string | null,
  content: Content,
): Promise<string | undefined> {
  const key = childrenKey(parent);
  const ids = asIds((await get(content.roots.pages, [key], content.load)).get(key));
  return ids.find((id) => names.includes(`p:${id}`));
}
