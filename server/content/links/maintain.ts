/**
 * Maintains the link index of revisions: computes how a change of content affects it, at a cost proportional to the
 * change. The index is derived from the content alone, so equal content has an equal index.
 */

import { asFile, asIds, Content, type LocatedPage } from '../tree/content.ts';
import { type ContentIndex, EMPTY } from '../tree/content-root.ts';
import { detached } from '../tree/detached.ts';
import {
  type FileRecord,
  fileKey,
  type PageRecord,
  pageKey,
  type ReusableRecord,
  slugOf,
} from '../tree/records.ts';
import { entries, get, type TrieRoot, type Updated, update } from '../tree/trie.ts';
import { canonicalJson, type Load, type Objects, type Storable, textOf } from '../tree/values.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';
import {
  type Address,
  AT_ROOT,
  addressOfRef,
  anchorOf,
  locationOfPage,
  locationOfReusable,
  parseAddress,
} from './address.ts';
import { linkKey, type Source, writeEnd } from './keys.ts';
import { linksOfPage } from './links-of-page.ts';
import {
  type LocationKey,
  locationItem,
  locationsOfFile,
  locationsOfPage,
  reusableKey,
} from './locations.ts';
import { dependencies, type Relation, refsOfRecord } from './references.ts';
import { addressesIn, cacheAddresses, cachedAddresses, type FindAddresses } from './written.ts';

/** Page texts in memory at a time while their links are indexed. */
export const MAX_LOADED_TEXTS = 100;
/** Changed page records in memory at a time while their links are indexed. */
export const MAX_LOADED_RECORDS = 1000;

/** IDs of the pages and files whose records a change sets or removes. */
export interface ChangedIds {
  pages: Iterable<string>;
  files: Iterable<string>;
}

/** The next version of an index, and the objects to store for it. */
export interface PlannedIndex {
  index: ContentIndex;
  objects: Objects;
}

/**
 * Computes the index of `after`, which results from `before` by changing the `touched` records. Indexes all of `after`
 * if `before` has no index.
 *
 * @param after also reads objects that are not stored yet, and the texts of the change
 * @param findAddresses reads texts that are not cached
 */
export async function planIndex(
  before: Content,
  after: Content,
  changedIds: ChangedIds,
  findAddresses: FindAddresses = addressesIn,
): Promise<PlannedIndex> {
  const { index } = before.roots;
  const base = index ? before : new Content(EMPTY, after.load);
  const { pages, files } = index ? changedIds : await allIds(after);
  const edits = new Edits();
  const sides = () => [new Side(base, edits.was), new Side(after, edits.is)] as const;
  const ids = new Set(pages);
  for (const batch of batchesOf(ids)) {
    const [was, is] = sides();
    await usePages(batch, ids, was, is);
    await addLinks(was, is, findAddresses);
  }
  const [was, is] = sides();
  await addFiles([...files], was, is);
  await Promise.all([addReusables(was, is), addComputed(was, is)]);
  await addLinks(was, is, findAddresses);
  return edits.apply(index ?? { places: null, links: null }, after.load);
}

function* batchesOf(ids: Iterable<string>): Generator<string[]> {
  let batch: string[] = [];
  for (const id of ids) {
    if (batch.push(id) < MAX_LOADED_RECORDS) {
      continue;
    }
    yield batch;
    batch = [];
  }
  if (batch.length > 0) {
    yield batch;
  }
}

/** Adds the links of the pages and reusable contents that two sides selected. */
async function addLinks(was: Side, is: Side, findAddresses: FindAddresses): Promise<void> {
  // The links of a page depend only on its fingerprint. Other changes of its record need no work.
  const ids = [...new Set([...was.pages.keys(), ...is.pages.keys()])].filter(
    (id) => was.fingerprint(id) !== is.fingerprint(id),
  );
  await readTexts([was, is], ids, findAddresses);
  for (const side of [was, is]) {
    await side.addLinksOfReusables();
    for (const id of ids) {
      await side.addLinksOf(id);
    }
  }
}

async function allIds(content: Content): Promise<ChangedIds> {
  const pages = [...(await entries(content.roots.pages, content.load)).keys()];
  return {
    pages: pages.filter((key) => key.startsWith(pageKey(''))).map((key) => key.slice(pageKey('').length)),
    files: (await content.listFiles()).map(({ id }) => id),
  };
}

/**
 * Selects some of the changed pages, and the pages whose paths change with one of these ancestors.
 *
 * @param changedIds all changed pages
 */
async function usePages(
  ids: readonly string[],
  changedIds: ReadonlySet<string>,
  was: Side,
  is: Side,
): Promise<void> {
  const [before, after] = await Promise.all([was.content.readPages(ids), is.content.readPages(ids)]);
  for (const [side, records] of [
    [was, before],
    [is, after],
  ] as const) {
    for (const record of records.values()) {
      addLocations(side, locationsOfPage(record), pageKey(record.id));
    }
  }
  const moved = ids.filter((id) => hasMoved(before.get(id), after.get(id)));
  const descendants =
    moved.length === 0
      ? []
      : [...(await is.content.readDescendantIds(moved))].filter((id) => !changedIds.has(id));
  // Of these, only texts that were not imported from a repository have a new location.
  const local = [...(await is.content.readPages(descendants))].filter(([, record]) => isLocal(record));
  const localBefore = await was.content.readPages(local.map(([id]) => id));
  await Promise.all([was.usePages(before, localBefore), is.usePages(after, new Map(local))]);
}

function hasMoved(was: PageRecord | undefined, is: PageRecord | undefined): boolean {
  return !!was && !!is && (was.parent !== is.parent || slugOf(was) !== slugOf(is));
}

/** Returns whether the links in a page are relative to the page's own path. */
const isLocal = (record: PageRecord): boolean => record.type === 'document' && !record.git;

async function addFiles(ids: readonly string[], ...sides: readonly Side[]): Promise<void> {
  const keys = ids.map(fileKey);
  for (const side of sides) {
    const { content } = side;
    for (const value of (await get(content.roots.files, keys, content.load)).values()) {
      const file: FileRecord = asFile(value);
      addLocations(side, locationsOfFile(file), fileKey(file.id));
    }
  }
}

/** Selects the reusable contents if they differ between the sides. */
async function addReusables(was: Side, is: Side): Promise<void> {
  const [before, after] = [was, is].map(({ content }) => canonicalJson(content.roots.reusableContents));
  if (before === after) {
    return;
  }
  for (const side of [was, is]) {
    side.reusables.push(...(await side.content.readReusableContents()));
    for (const record of side.reusables) {
      addLocations(side, locationsOfFile(record), reusableKey(record.id));
    }
  }
}

/** Adds the dependencies of entirely computed content. */
async function addComputed(...sides: readonly Side[]): Promise<void> {
  for (const side of sides) {
    const source = await side.content.readComputed();
    for (const { relation, ref } of source ? dependencies(source) : []) {
      side.add({ kind: 'space' }, relation, addressOfRef(ref, AT_ROOT));
    }
  }
}

/** Reads the texts of some pages and of reusable contents that are not cached. */
async function readTexts(
  sides: readonly Side[],
  ids: readonly string[],
  findAddresses: FindAddresses,
): Promise<void> {
  const hashes = new Set(sides.flatMap((side) => [...side.hashes(ids)]));
  const missing: string[] = [];
  // Also retained by the sides, because the cache may evict an entry before it is used.
  const retain = (hash: string, addresses: readonly string[]) => {
    cacheAddresses(hash, addresses);
    for (const side of sides) {
      side.addresses.set(hash, addresses);
    }
  };
  for (const hash of hashes) {
    const addresses = cachedAddresses(hash);
    if (addresses) {
      retain(hash, addresses);
    } else {
      missing.push(hash);
    }
  }
  const load = sides.at(-1)?.content.load;
  for (let from = 0; load && from < missing.length; from += MAX_LOADED_TEXTS) {
    const batch = missing.slice(from, from + MAX_LOADED_TEXTS);
    const texts = await load(batch);
    for (const hash of batch) {
      retain(hash, detached(await findAddresses(textOf(hash, texts))));
    }
  }
}

/** Lists by key. */
type Lists = Map<string, Set<string>>;

function addTo(lists: Lists, key: string, item: string): void {
  const list = lists.get(key);
  if (list) {
    list.add(item);
  } else {
    lists.set(key, new Set([item]));
  }
}

function addLocations(side: Side, places: readonly LocationKey[], of: string): void {
  for (const { list, name } of places) {
    addTo(side.lists.places, list, locationItem(name, of));
  }
}

/** The index entries of one of two revisions, limited to what changed. */
class Side {
  readonly content: Content;
  readonly lists: { places: Lists; links: Lists };
  readonly pages = new Map<string, LocatedPage>();
  readonly reusables: ReusableRecord[] = [];
  /** Link destinations of texts by hash. */
  readonly addresses = new Map<string, readonly string[]>();

  constructor(content: Content, lists: { places: Lists; links: Lists }) {
    this.content = content;
    this.lists = lists;
  }

  /** Selects pages whose links are indexed. Looks up paths only for pages whose links are relative to them. */
  async usePages(...maps: ReadonlyArray<ReadonlyMap<string, PageRecord>>): Promise<void> {
    const records = maps.flatMap((map) => [...map.values()]);
    const places = await this.content.readLocatedPages(records.filter(isLocal).map(({ id }) => id));
    for (const record of records) {
      this.pages.set(record.id, { record, path: places.get(record.id)?.path ?? '' });
    }
  }

  /** Lists the hashes of the texts of some pages, and of all selected reusable contents. */
  *hashes(ids: readonly string[]): Generator<string> {
    for (const id of ids) {
      const record = this.pages.get(id)?.record;
      if (record?.type === 'document' && record.body !== undefined) {
        yield record.body;
      }
    }
    for (const { body } of this.reusables) {
      yield body;
    }
  }

  /** Returns a text that is equal if and only if all inputs of the page's links are equal. */
  fingerprint(id: string): string | undefined {
    const page = this.pages.get(id);
    if (!page) {
      return undefined;
    }
    const { record, path } = page;
    const refs = [...refsOfRecord(record)].map(({ relation, ref }) => ({ relation, ref: { ...ref } }));
    const body = record.type === 'document' ? record.body : undefined;
    return canonicalJson({ refs, body, place: locationOfPage(record, path).path });
  }

  async addLinksOf(id: string): Promise<void> {
    const page = this.pages.get(id);
    if (!page) {
      return;
    }
    const { record } = page;
    const body = record.type === 'document' ? record.body : undefined;
    const written = (body === undefined ? undefined : this.addresses.get(body)) ?? [];
    for (const { relation, address } of linksOfPage(page, written)) {
      this.add({ kind: 'page', id }, relation, address);
      if (isYieldDue()) {
        await yieldToEventLoop();
      }
    }
  }

  async addLinksOfReusables(): Promise<void> {
    for (const record of this.reusables) {
      const from = locationOfReusable(record);
      for (const written of this.addresses.get(record.body) ?? []) {
        this.add({ kind: 'reusable-content', id: record.id }, 'reference', parseAddress(written, from));
        if (isYieldDue()) {
          await yieldToEventLoop();
        }
      }
    }
  }

  add(source: Source, relation: Relation, address: Address): void {
    const key = linkKey(relation, address, source);
    const anchor = anchorOf(address);
    if (key !== undefined) {
      addTo(this.lists.links, key, writeEnd({ source, ...(anchor !== undefined && { anchor }) }));
    }
  }
}

/** Edits of an index: replaces the items of the previous revision by those of the next one. */
class Edits {
  readonly was = { places: new Map<string, Set<string>>(), links: new Map<string, Set<string>>() };
  readonly is = { places: new Map<string, Set<string>>(), links: new Map<string, Set<string>>() };

  async apply(index: ContentIndex, load: Load): Promise<PlannedIndex> {
    const [places, links] = await Promise.all([
      applied(index.places, this.was.places, this.is.places, load),
      applied(index.links, this.was.links, this.is.links, load),
    ]);
    return {
      index: { places: places.root, links: links.root },
      objects: new Map([...places.objects, ...links.objects]),
    };
  }
}

async function applied(root: TrieRoot, was: Lists, is: Lists, load: Load): Promise<Updated> {
  const none = new Set<string>();
  const keys: string[] = [];
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    if ((was.get(key) ?? none).symmetricDifference(is.get(key) ?? none).size > 0) {
      keys.push(key);
    }
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  const lists = await get(root, keys, load);
  const changes = new Map<string, Storable>();
  for (const key of keys) {
    const list = new Set(asIds(lists.get(key))).difference(was.get(key) ?? none).union(is.get(key) ?? none);
    changes.set(key, list.size > 0 ? [...list].sort() : undefined);
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  return update(root, changes, load);
}
