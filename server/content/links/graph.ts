/** Queries the links of a revision, using its index. */
import { asIds, Content, type LocatedPage } from '../tree/content.ts';
import { walk } from '../tree/records.ts';
import { entries, get } from '../tree/trie.ts';
import { type Address, anchorOf } from './address.ts';
import { isLinkKey, type LinkEnd, linkKey, readEnd, readKey, type Source, writeEnd } from './keys.ts';
import { linksOfPage } from './links-of-page.ts';
import { planIndex } from './maintain.ts';
import { nodeName } from './nodes.ts';
import { outwardLinks } from './outward.ts';
import type { Relation } from './references.ts';
import { pagePaths, resolve, rootsOf, type Target } from './resolve.ts';
import { type FindSpaceAddresses, isWebUrl, type SpaceAddresses } from './space-urls.ts';
import type { FindAddresses } from './text-links.ts';
import { type Linked, writtenAddresses } from './written-addresses.ts';

/** A link target with all links to it. */
export interface Link {
  /** Identical for the same target in every revision. Broken links are identified by the key of their destination. */
  key: string;
  relation: Relation;
  /** The destination, in one of its written forms. */
  address: Address;
  /** Undefined for a broken link. */
  target: Target | undefined;
  anchor?: string;
  sources: Source[];
  /** The keys of all these forms in the index, with their anchors: see `nodeName`. */
  names: ReadonlySet<string>;
  /** URL as written, if the destination is one of a space. */
  url?: string;
}

/** The content to query the links of. */
export interface LinkScope {
  /** The space of the content. */
  space: string;
  findSpaceAddresses: FindSpaceAddresses;
}

/** The links to a page or file, and its keys in the index. */
export interface Backlinks {
  sources: Source[];
  keys: ReadonlySet<string>;
}

/** Lists all links of a revision, ordered by key. */
export async function linksIn(content: Content, scope: LinkScope): Promise<Link[]> {
  const { index, load } = await indexed(content);
  const ends = [...(await entries(index.links, load))].flatMap(([key, list]) =>
    isLinkKey(key) ? asIds(list).map((end) => ({ key, end: readEnd(end) })) : [],
  );
  return grouped(ends, content, scope);
}

/** Lists the links of one page, ordered by key. */
export async function linksFrom(
  content: Content,
  page: LocatedPage,
  scope: LinkScope,
  findAddresses: FindAddresses,
): Promise<Link[]> {
  const source: Source = { kind: 'page', id: page.record.id };
  const written = await findAddresses(await content.readBody(page.record));
  const ends = [...linksOfPage(page, written)].flatMap(({ relation, address }) => {
    const key = linkKey(relation, address, source);
    const anchor = anchorOf(address);
    return key === undefined ? [] : [{ key, end: { source, ...(anchor !== undefined && { anchor }) } }];
  });
  return grouped(ends, content, scope);
}

/** Lists the sources of links to a page, except itself, or to a file, ordered by ID and without duplicates. */
export async function linksTo(content: Content, linked: Linked, scope: LinkScope): Promise<Backlinks> {
  const { space } = scope;
  const { index, load } = await indexed(content);
  const addresses = await writtenAddresses(linked, content, space);
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
  const addSources = (list: Parameters<typeof asIds>[0]) => {
    for (const end of asIds(list)) {
      const { source } = readEnd(end);
      if (source.kind !== 'page' || source.id !== linkedId) {
        sources.set(writeEnd({ source }), source);
      }
    }
  };
  for (const [key, address] of existing) {
    const target = targets.get(address);
    if (target === undefined || idOf(target) !== linkedId) {
      continue;
    }
    used.add(key);
    addSources(lists.get(key));
  }
  if ('page' in linked) {
    const { urls } = await outwardLinks(index.links ?? '', async () => ({ root: index.links, load }));
    const found = await scope.findSpaceAddresses([...urls.keys()]);
    const leading = [...urls].flatMap(([url, key]) => {
      const address = found.get(url);
      return address?.kind === 'page' && address.space === space && address.page === linkedId ? [key] : [];
    });
    for (const [key, list] of await get(index.links, leading, load)) {
      used.add(key);
      addSources(list);
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
  { space, findSpaceAddresses }: LinkScope,
): Promise<Link[]> {
  const read = new Map(ends.map(({ key }) => [key, readKey(key)]));
  const urls = [...read.values()].flatMap(({ address }) =>
    address.kind === 'url' && isWebUrl(address.url) ? [address.url] : [],
  );
  const inSpaces: SpaceAddresses = urls.length > 0 ? await findSpaceAddresses(urls) : new Map();
  /** Returns what a destination means; undefined for the URL of an unknown space or page. */
  const meaningOf = (address: Address) =>
    address.kind === 'url' && inSpaces.has(address.url) ? inSpaces.get(address.url) : address;
  const targets = await findTargets(
    [...read.values()].flatMap(({ address }) => meaningOf(address) ?? []),
    content,
    space,
  );
  const links = new Map<
    string,
    { link: Omit<Link, 'sources' | 'names'>; sources: Map<string, Source>; names: Set<string> }
  >();
  for (const { key, end } of ends) {
    const { relation, address: written } = read.get(key) ?? readKey(key);
    const address = meaningOf(written);
    const target = address && targets.get(address);
    const id = target && idOf(target);
    const url = written.kind === 'url' && written !== address ? written.url : undefined;
    const anchor = url === undefined || !address ? end.anchor : anchorOf(address);
    const targetKey = url === undefined || !address ? key : (linkKey(relation, address, end.source) ?? key);
    const name = `${id === undefined ? targetKey : `${relation} ${target?.kind} ${id}`}${anchor === undefined ? '' : `#${anchor}`}`;
    const group = links.get(name) ?? {
      link: {
        key: name,
        relation,
        address: address && anchor !== undefined ? withAnchor(address, anchor) : (address ?? written),
        target,
        ...(anchor !== undefined && { anchor }),
        ...(url !== undefined && { url }),
      },
      sources: new Map<string, Source>(),
      names: new Set<string>(),
    };
    links.set(name, group);
    group.sources.set(writeEnd({ source: end.source }), end.source);
    group.names.add(nodeName(key, end.anchor));
  }
  return [...links].sort(byKey).map(([, { link, sources, names }]) => ({
    ...link,
    sources: [...sources].sort(byKey).map(([, source]) => source),
    names,
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
