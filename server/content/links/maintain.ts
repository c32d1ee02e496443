/**
 * Maintains the link index of revisions: computes how a change of content affects it, at a cost proportional to the
 * change. The index is derived from the content alone, so equal content has an equal index.
 */

import { asFile, Content } from '../tree/content.ts';
import { EMPTY } from '../tree/content-root.ts';
import { detached } from '../tree/detached.ts';
import { type FileRecord, fileKey, type PageRecord, pageKey, slugOf } from '../tree/records.ts';
import { entries, get } from '../tree/trie.ts';
import { canonicalJson, storedText } from '../tree/values.ts';
import { AT_ROOT, addressOfRef } from './address.ts';
import { noItems, type PlannedIndex, replaceItems } from './index-items.ts';
import { ItemCollector, isLocal } from './item-collector.ts';
import { locationsOfFile, locationsOfPage, reusableKey } from './locations.ts';
import { dependencies } from './references.ts';
import { cacheAddresses, cachedAddresses, type FindAddresses, indexedAddressesIn } from './text-links.ts';

/** Page texts in memory at a time while their links are indexed. */
export const MAX_LOADED_TEXTS = 100;
/** Changed page records in memory at a time while their links are indexed. */
export const MAX_LOADED_RECORDS = 1000;

/** IDs of the pages and files with records that a change sets or removes. */
export interface ChangedIds {
  pages: Iterable<string>;
  files: Iterable<string>;
}

/**
 * Computes the index of `after`, which results from `before` by changing the records of `changedIds`. Indexes all of
 * `after` if `before` has no index.
 *
 * @param after also reads objects that are not stored yet, and the texts of the change
 * @param findAddresses reads texts that are not cached
 */
export async function planIndex(
  before: Content,
  after: Content,
  changedIds: ChangedIds,
  findAddresses: FindAddresses = indexedAddressesIn,
): Promise<PlannedIndex> {
  const { index } = before.roots;
  const base = index ? before : new Content(EMPTY, after.load);
  const { pages, files } = index ? changedIds : await allIds(after);
  const ids = new Set(pages);
  const items = [noItems(), noItems()] as const;
  const collectors = () => [new ItemCollector(base, items[0]), new ItemCollector(after, items[1])] as const;
  for (const batch of batchesOf(ids)) {
    const [previous, next] = collectors();
    await selectPages(batch, ids, previous, next);
    await addLinks(previous, next, findAddresses);
  }
  const [previous, next] = collectors();
  await addFiles([...files], previous, next);
  await Promise.all([addReusables(previous, next), addComputed(previous, next)]);
  await addLinks(previous, next, findAddresses);
  return replaceItems(index ?? { places: null, links: null }, ...items, after.load);
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

/** Adds the links of the selected pages and reusable contents. */
async function addLinks(
  previous: ItemCollector,
  next: ItemCollector,
  findAddresses: FindAddresses,
): Promise<void> {
  // The links of a page depend only on its fingerprint. Other changes of its record need no work.
  const ids = [...new Set([...previous.pages.keys(), ...next.pages.keys()])].filter(
    (id) => previous.fingerprint(id) !== next.fingerprint(id),
  );
  await readTexts([previous, next], ids, findAddresses);
  for (const collector of [previous, next]) {
    await collector.addLinksOfReusables();
    for (const id of ids) {
      await collector.addLinksOf(id);
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
 * Selects some of the changed pages, and their descendants with changed paths.
 *
 * @param changedIds all changed pages
 */
async function selectPages(
  ids: readonly string[],
  changedIds: ReadonlySet<string>,
  previous: ItemCollector,
  next: ItemCollector,
): Promise<void> {
  const [before, after] = await Promise.all([previous.content.readPages(ids), next.content.readPages(ids)]);
  for (const [collector, records] of [
    [previous, before],
    [next, after],
  ] as const) {
    for (const record of records.values()) {
      collector.addLocations(locationsOfPage(record), pageKey(record.id));
    }
  }
  const moved = ids.filter((id) => hasMoved(before.get(id), after.get(id)));
  const descendants =
    moved.length === 0
      ? []
      : [...(await next.content.readDescendantIds(moved))].filter((id) => !changedIds.has(id));
  // Of these, only texts that were not imported from a repository have a new location.
  const local = [...(await next.content.readPages(descendants))].filter(([, record]) => isLocal(record));
  const localBefore = await previous.content.readPages(local.map(([id]) => id));
  await Promise.all([previous.selectPages(before, localBefore), next.selectPages(after, new Map(local))]);
}

function hasMoved(before: PageRecord | undefined, after: PageRecord | undefined): boolean {
  return !!before && !!after && (before.parent !== after.parent || slugOf(before) !== slugOf(after));
}

async function addFiles(ids: readonly string[], ...collectors: readonly ItemCollector[]): Promise<void> {
  const keys = ids.map(fileKey);
  for (const collector of collectors) {
    const { content } = collector;
    for (const value of (await get(content.roots.files, keys, content.load)).values()) {
      const file: FileRecord = asFile(value);
      collector.addLocations(locationsOfFile(file), fileKey(file.id));
    }
  }
}

/** Selects the reusable contents if they differ between the revisions. */
async function addReusables(previous: ItemCollector, next: ItemCollector): Promise<void> {
  const [before, after] = [previous, next].map(({ content }) =>
    canonicalJson(content.roots.reusableContents),
  );
  if (before === after) {
    return;
  }
  for (const collector of [previous, next]) {
    collector.reusables.push(...(await collector.content.readReusableContents()));
    for (const record of collector.reusables) {
      collector.addLocations(locationsOfFile(record), reusableKey(record.id));
    }
  }
}

/** Adds the dependencies of entirely computed content. */
async function addComputed(...collectors: readonly ItemCollector[]): Promise<void> {
  for (const collector of collectors) {
    const source = await collector.content.readComputed();
    for (const { relation, ref } of source ? dependencies(source) : []) {
      collector.addLink({ kind: 'space' }, relation, addressOfRef(ref, AT_ROOT));
    }
  }
}

/** Reads the texts of some pages and of reusable contents that are not cached. */
async function readTexts(
  collectors: readonly ItemCollector[],
  ids: readonly string[],
  findAddresses: FindAddresses,
): Promise<void> {
  const hashes = new Set(collectors.flatMap((collector) => [...collector.hashes(ids)]));
  const missing: string[] = [];
  // Also retained by the collectors, because the cache may evict an entry before it is used.
  const retain = (hash: string, addresses: readonly string[]) => {
    cacheAddresses(hash, addresses);
    for (const collector of collectors) {
      collector.addresses.set(hash, addresses);
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
  const load = collectors.at(-1)?.content.load;
  for (let from = 0; load && from < missing.length; from += MAX_LOADED_TEXTS) {
    const batch = missing.slice(from, from + MAX_LOADED_TEXTS);
    const texts = await load(batch);
    for (const hash of batch) {
      retain(hash, detached(await findAddresses(storedText(hash, texts))));
    }
  }
}
