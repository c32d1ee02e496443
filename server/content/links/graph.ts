/** Queries the links of a revision, using its index. */
import { asIds, Content, type LocatedPage } from '../tree/content.ts';
import { type FileRecord, walk } from '../tree/records.ts';
import { entries, get } from '../tree/trie.ts';
import { type Address, anchorOf } from './address.ts';
import { type LinkEnd, linkKey, readEnd, readKey, type Source, writeEnd } from './keys.ts';
import { linksOfPage } from './links-of-page.ts';
import { planIndex } from './maintain.ts';
import type { Relation } from './references.ts';
import { pagePaths, resolve, rootsOf, type Target } from './resolve.ts';
import { servedPaths } from './served-paths.ts';
import type { FindAddresses } from './text-links.ts';

/** A link target with all links to it. */
export interface Link {
  /** Identical for the same target in every revision. Broken links are identified by the key of their destination. */
  key: string;
  relation: Relation;
  /** The destination, in one of the forms in which it is written. */
  address: Address;
  /** Undefined for a broken link. */
  target: Target | undefined;
  anchor?: string;
  sources: Source[];
  /** The keys of all these forms in the index. */
  keys: ReadonlySet<string>;
}

/** The links to a page or file, and its keys in the index. */
export interface Backlinks {
  sources: Source[];
  keys: ReadonlySet<string>;
}

/** A page or file to find the links to. */
export type Linked = { page: LocatedPage } | { file: FileRecord };

/** Lists all links of a revision, ordered by key. */
export async function linksIn(content: Content, space: string): Promise<Link[]> {
  const { index, load } = await indexed(content);
  const ends = [...(await entries(index.links, load))].flatMap(([key, list]) =>
    asIds(list).map((end) => ({ key, end: readEnd(end) })),
  );
  return grouped(ends, content, space);
}

/** Lists the links of one page, ordered by key. */
export async function linksFrom(
  content: Content,
  page: LocatedPage,
  space: string,
  findAddresses: FindAddresses,
): Promise<Link[]> {
  const source: Source = { kind: 'page', id: page.record.id };
  const written = await findAddresses(await content.readBody(page.record));
  const ends = [...linksOfPage(page, written)].flatMap(({ relation, address }) => {
    const key = linkKey(relation, address, source);
    const anchor = anchorOf(address);
    return key === undefined ? [] : [{ key, end: { source, ...(anchor !== undefined && { anchor }) } }];
  });
  return grouped(ends, content, space);
}

/** Lists the sources of links to a page, except itself, or to a file, ordered by ID and without duplicates. */
export async function linksTo(content: Content, linked: Linked, space: string): Promise<Backlinks> {
  const { index, load } = await indexed(content);
  const addresses = await addressesOf(linked, content, space);
  const linkedId = 'page' in linked ? linked.page.record.id : linked.file.id;
  const keys = addresses.flatMap((address) =>
    (['reference', 'dependsOn'] as const).flatMap((relation) => {
      const key = linkKey(relation, address, { kind: 'space' });
      return key === undefined ? [] : [[key, address] as const];
    }),
  );
  const lists = await get(
    index.links,
    keys.map(([key]) => key),
    load,
  );
  // A path that may lead to the page or file may have another target that takes precedence.
  const existing = keys.filter(([key]) => lists.has(key));
  const targets = await findTargets(
    existing.map(([, address]) => address),
    content,
    space,
  );
  const sources = new Map<string, Source>();
  const used = new Set<string>();
  for (const [key, address] of existing) {
    const target = targets.get(address);
    if (target === undefined || idOf(target) !== linkedId) {
      continue;
    }
    used.add(key);
    for (const end of asIds(lists.get(key))) {
      const { source } = readEnd(end);
      if (source.kind !== 'page' || source.id !== linkedId) {
        sources.set(writeEnd({ source }), source);
      }
    }
  }
  return { sources: [...sources].sort(byKey).map(([, source]) => source), keys: used };
}

/**
 * Lists the sources that depend on OpenAPI specifications, without duplicates. Looks up only the keys of their names.
 */
export async function dependentsOf(content: Content, specifications: readonly string[]): Promise<Source[]> {
  if (specifications.length === 0) {
    return [];
  }
  const { index, load } = await indexed(content);
  const keys = specifications.flatMap(
    (spec) => linkKey('dependsOn', { kind: 'openapi', spec }, { kind: 'space' }) ?? [],
  );
  const lists = await get(index.links, keys, load);
  const ends = new Set([...lists.values()].flatMap(asIds));
  return [...ends].map((end) => readEnd(end).source);
}

/**
 * Resolves destinations, including those of computed pages. The index does not contain these, so the tree is read if a
 * path cannot be resolved otherwise.
 */
async function findTargets(
  addresses: readonly Address[],
  content: Content,
  space: string,
): Promise<Map<Address, Target>> {
  const targets = await resolve(addresses, content, space);
  const unresolved = addresses.flatMap((address) =>
    address.kind === 'path' && !targets.has(address) ? [{ address, path: address.path }] : [],
  );
  if (unresolved.length === 0) {
    return targets;
  }
  const [roots, tree] = await Promise.all([rootsOf(content), content.readTree()]);
  const computed = new Map<string, LocatedPage>();
  for (const { record, path } of walk(tree)) {
    if (record.type === 'document' && record.computed && !computed.has(path)) {
      computed.set(path, { record, path });
    }
  }
  for (const { address, path } of unresolved) {
    const match = pagePaths(path, roots).find((candidate) => computed.has(candidate));
    const page = match === undefined ? undefined : computed.get(match);
    if (page) {
      targets.set(address, { kind: 'page', page });
    }
  }
  return targets;
}

/** Returns all destinations that may resolve to a page or file. */
async function addressesOf(linked: Linked, content: Content, space: string): Promise<Address[]> {
  const roots = await rootsOf(content);
  const record = 'page' in linked ? linked.page.record : linked.file;
  const git = record.git?.path;
  const fromGit = git === undefined ? [] : roots.flatMap((root) => gitPathsOf(git, root));
  const paths = new Set(fromGit);
  if ('page' in linked && linked.page.path !== '') {
    for (const writtenPath of writtenPaths(linked.page.path)) {
      for (const root of roots) {
        paths.add(root === '' ? writtenPath : `${root}/${writtenPath}`);
      }
    }
  }
  return [
    ...[...paths].map((path): Address => ({ kind: 'path', path })),
    ...('page' in linked
      ? [{ kind: 'page', page: record.id } as const, { kind: 'page', page: record.id, space } as const]
      : [{ kind: 'file', file: record.id } as const]),
  ];
}

/**
 * Returns the paths, relative to a root, of an item imported from a repository path: its own, that of its folder if it
 * is a README, and those at which websites serve it.
 */
function gitPathsOf(git: string, root: string): string[] {
  if (root !== '' && !git.startsWith(`${root}/`)) {
    return [];
  }
  const path = root === '' ? git : git.slice(root.length + 1);
  const readme = /^(?:(.*)\/)?(?:README|readme)\.md$/s.exec(path);
  return [path, ...(readme ? [readme[1] ?? ''] : []), ...servedPaths(path)];
}

/** Returns the ways to write the path of a page. The inverse of `pagePaths`. */
const writtenPaths = (path: string): string[] =>
  ['', '.md', '.markdown', '/README.md', '/readme.md'].map((ending) => path + ending);

/** Returns the ID of a target; undefined if it is not part of the content. */
function idOf(target: Target): string | undefined {
  switch (target.kind) {
    case 'page':
      return target.page.record.id;
    case 'file':
      return target.file.id;
    case 'reusable-content':
      return target.reusable.id;
    default:
      return undefined;
  }
}

/** Groups link ends by target. All forms of the same target are one link. */
async function grouped(
  ends: ReadonlyArray<{ key: string; end: LinkEnd }>,
  content: Content,
  space: string,
): Promise<Link[]> {
  const read = new Map(ends.map(({ key }) => [key, readKey(key)]));
  const targets = await findTargets(
    [...read.values()].map(({ address }) => address),
    content,
    space,
  );
  const links = new Map<
    string,
    { link: Omit<Link, 'sources' | 'keys'>; sources: Map<string, Source>; keys: Set<string> }
  >();
  for (const { key, end } of ends) {
    const { relation, address } = read.get(key) ?? readKey(key);
    const target = targets.get(address);
    const id = target && idOf(target);
    const { anchor, source } = end;
    const name = `${id === undefined ? key : `${relation} ${target?.kind} ${id}`}${anchor === undefined ? '' : `#${anchor}`}`;
    const group = links.get(name) ?? {
      link: {
        key: name,
        relation,
        address: anchor === undefined ? address : withAnchor(address, anchor),
        target,
        ...(anchor !== undefined && { anchor }),
      },
      sources: new Map<string, Source>(),
      keys: new Set<string>(),
    };
    links.set(name, group);
    group.sources.set(writeEnd({ source }), source);
    group.keys.add(key);
  }
  return [...links].sort(byKey).map(([, { link, sources, keys }]) => ({
    ...link,
    sources: [...sources].sort(byKey).map(([, source]) => source),
    keys,
  }));
}

function withAnchor(address: Address, anchor: string): Address {
  return address.kind === 'path' || address.kind === 'page' ? { ...address, anchor } : address;
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** Returns the index of a revision. Computes it for a revision that was stored without one. */
async function indexed({ roots, load }: Content) {
  if (roots.index) {
    return { index: roots.index, load };
  }
  const content = new Content(roots, load);
  const { index, objects } = await planIndex(content, content, { pages: [], files: [] });
  return {
    index,
    load: async (hashes: readonly string[]) => {
      const missing = hashes.filter((hash) => !objects.has(hash));
      return new Map([...objects, ...(missing.length > 0 ? await load(missing) : [])]);
    },
  };
}
