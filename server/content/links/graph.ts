/** Who links to what in a revision, read from its index. */
import { asIds, Content, type PagePlace } from '../tree/content.ts';
import { type FileRecord, walk } from '../tree/records.ts';
import { entries, get } from '../tree/trie.ts';
import { type Address, anchorOf } from './address.ts';
import { type LinkEnd, linkKey, readEnd, readKey, type Source, writeEnd } from './keys.ts';
import { linksOfPage } from './links-of-page.ts';
import { planIndex } from './maintain.ts';
import type { Relation } from './references.ts';
import { pagePaths, resolve, rootsOf, type Target } from './resolve.ts';
import type { FindAddresses } from './written.ts';

/** Something that is linked to, with all that links to it. */
export interface Link {
  /** The same for the same target in every revision; what is broken has the key of what is wanted. */
  key: string;
  relation: Relation;
  /** What is wanted, in one of the ways in which it is written. */
  address: Address;
  /** Undefined: it is not there. */
  target: Target | undefined;
  anchor?: string;
  sources: Source[];
  /** How the index names what is wanted, in each of those ways. */
  keys: ReadonlySet<string>;
}

/** What links to a page or a file, and how the index names it. */
export interface Backlinks {
  sources: Source[];
  keys: ReadonlySet<string>;
}

/** What is told of a page or file that is linked to. */
export type Linked = { page: PagePlace } | { file: FileRecord };

/** All links of a revision, in the order of their keys. */
export async function linksIn(content: Content, space: string): Promise<Link[]> {
  const { index, load } = await indexed(content);
  const ends = [...(await entries(index.links, load))].flatMap(([key, list]) =>
    asIds(list).map((end) => ({ key, end: readEnd(end) })),
  );
  return grouped(ends, content, space);
}

/** The links of one page, in the order of their keys. */
export async function linksFrom(
  content: Content,
  page: PagePlace,
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

/** What links to a page, other than itself, or to a file: each once, in the order of their ids. */
export async function linksTo(content: Content, linked: Linked, space: string): Promise<Backlinks> {
  const { index, load } = await indexed(content);
  const addresses = await addressesOf(linked, content, space);
  const own = 'page' in linked ? linked.page.record.id : linked.file.id;
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
  // A path that might lead here may lead elsewhere, where something comes before.
  const wanted = keys.filter(([key]) => lists.has(key));
  const targets = await findTargets(
    wanted.map(([, address]) => address),
    content,
    space,
  );
  const sources = new Map<string, Source>();
  const used = new Set<string>();
  for (const [key, address] of wanted) {
    const target = targets.get(address);
    if (target === undefined || idOf(target) !== own) continue;
    used.add(key);
    for (const end of asIds(lists.get(key))) {
      const { source } = readEnd(end);
      if (source.kind !== 'page' || source.id !== own) sources.set(writeEnd({ source }), source);
    }
  }
  return { sources: [...sources].sort(byKey).map(([, source]) => source), keys: used };
}

/** What depends on OpenAPI specifications, by what it calls them: each once. It looks up the names, nothing else. */
export async function dependentsOf(content: Content, specifications: readonly string[]): Promise<Source[]> {
  if (specifications.length === 0) return [];
  const { index, load } = await indexed(content);
  const keys = specifications.flatMap(
    (spec) => linkKey('dependsOn', { kind: 'openapi', spec }, { kind: 'space' }) ?? [],
  );
  const lists = await get(index.links, keys, load);
  const ends = new Set([...lists.values()].flatMap(asIds));
  return [...ends].map((end) => readEnd(end).source);
}

/**
 * What addresses lead to, computed pages included: those stand in no index. So the tree is read where a path leads
 * nowhere without them.
 */
async function findTargets(
  addresses: readonly Address[],
  content: Content,
  space: string,
): Promise<Map<Address, Target>> {
  const targets = await resolve(addresses, content, space);
  const missing = addresses.flatMap((address) =>
    address.kind === 'path' && !targets.has(address) ? [{ address, path: address.path }] : [],
  );
  if (missing.length === 0) return targets;
  const [roots, tree] = await Promise.all([rootsOf(content), content.readTree()]);
  const computed = new Map<string, PagePlace>();
  for (const { record, path } of walk(tree))
    if (record.type === 'document' && record.computed && !computed.has(path))
      computed.set(path, { record, path });
  for (const { address, path } of missing) {
    const found = pagePaths(path, roots).find((one) => computed.has(one));
    const page = found === undefined ? undefined : computed.get(found);
    if (page) targets.set(address, { kind: 'page', page });
  }
  return targets;
}

/** Every address that may lead to something. */
async function addressesOf(linked: Linked, content: Content, space: string): Promise<Address[]> {
  const roots = await rootsOf(content);
  const record = 'page' in linked ? linked.page.record : linked.file;
  const git = record.git?.path;
  const fromGit = git === undefined ? [] : roots.flatMap((root) => gitPathsOf(git, root));
  const paths = new Set(fromGit);
  if ('page' in linked && linked.page.path !== '') {
    for (const one of writtenPaths(linked.page.path))
      for (const root of roots) paths.add(root === '' ? one : `${root}/${one}`);
  }
  return [
    ...[...paths].map((path): Address => ({ kind: 'path', path })),
    ...('page' in linked
      ? [{ kind: 'page', page: record.id } as const, { kind: 'page', page: record.id, space } as const]
      : [{ kind: 'file', file: record.id } as const]),
  ];
}

/** The paths that lead from a root to what came from a repository's path: itself, and its folder's. */
function gitPathsOf(git: string, root: string): string[] {
  if (root !== '' && !git.startsWith(`${root}/`)) return [];
  const path = root === '' ? git : git.slice(root.length + 1);
  const readme = /^(?:(.*)\/)?(?:README|readme)\.md$/s.exec(path);
  return readme ? [path, readme[1] ?? ''] : [path];
}

/** The ways to write the path of a page; the other way round, see `pagePaths`. */
const writtenPaths = (path: string): string[] =>
  ['', '.md', '.markdown', '/README.md', '/readme.md'].map((ending) => path + ending);

/** The id of what a target is; undefined for what is not part of the content. */
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

/** Ends by what they lead to: the same target is one link, however it is written. */
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
    const known = links.get(name) ?? {
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
    links.set(name, known);
    known.sources.set(writeEnd({ source }), source);
    known.keys.add(key);
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

/** The index of a revision; of one that was stored without, made now. */
async function indexed({ roots, load }: Content) {
  if (roots.index) return { index: roots.index, load };
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
