import { planIndex } from '../links/maintain.ts';
import { type FindAddresses, indexedAddressesIn } from '../links/text-links.ts';
import type { ContentChange, PlannedContent } from '../tree/change.ts';
import { Content } from '../tree/content.ts';
import { type ComputedSource, type ContentRoot, EMPTY, readRoot } from '../tree/content-root.ts';
import { hashOf } from '../tree/hash.ts';
import { requireWithinLimits } from '../tree/limits.ts';
import type { ContentObject } from '../tree/objects.ts';
import { childrenKey, fileKey, pageKey } from '../tree/records.ts';
import { update } from '../tree/trie-update.ts';
import {
  canonicalJson,
  type Load,
  type Objects,
  type Packed,
  pack,
  type Storable,
  storable,
  withUnstored,
} from '../tree/values.ts';

/**
 * Plans the content that results from applying a change to a base (null for empty content). Stores nothing, and loads
 * only the path to what changes. Equal content has the same root, whatever its history.
 *
 * @param findAddresses reads new texts; requests run it in threads
 * @throws ContractError 409 if the content would exceed a limit
 */
export async function planContent(
  base: string | null,
  change: ContentChange,
  load: Load,
  findAddresses: FindAddresses = indexedAddressesIn,
): Promise<PlannedContent> {
  const before = base === null ? EMPTY : await readRoot(base, load);
  const tree: Objects = new Map();
  const [pages, files] = await Promise.all([
    update(before.pages, pageEntries(change), load),
    update(before.files, entriesOf(change.files, fileKey), load),
  ]);
  for (const { objects } of [pages, files]) {
    for (const [hash, text] of objects) {
      tree.set(hash, text);
    }
  }
  const { computed: computedBefore, redirects: redirectsBefore, index: _, ...settings } = before;
  const computed = change.computed === undefined ? computedBefore : packed(change.computed, tree);
  const redirects = change.redirects === undefined ? redirectsBefore : packedList(change.redirects, tree);
  const after: ContentRoot = {
    ...settings,
    pages: pages.root,
    files: files.root,
    ...(change.reusableContents && { reusableContents: pack(storable(change.reusableContents), tree) }),
    ...(change.variables && { variables: pack(storable(change.variables), tree) }),
    ...(computed && { computed }),
    ...(redirects && { redirects }),
  };
  const texts = [...(change.texts ?? [])];
  const written = new Map(texts.map(({ hash, data }) => [hash, data]));
  const loadAfter = withUnstored(tree, withUnstored(written, load));
  const contents = [new Content(before, load), new Content(after, loadAfter)] as const;
  await requireWithinLimits(...contents, change.pages ?? new Map());
  const { index, objects } = await planIndex(
    ...contents,
    { pages: change.pages?.keys() ?? [], files: change.files?.keys() ?? [] },
    findAddresses,
  );
  for (const [hash, text] of objects) {
    tree.set(hash, text);
  }
  const data = canonicalJson({ ...after, index: { ...index } });
  const root = hashOf(data);
  return {
    root,
    objects: [
      ...texts,
      ...[...tree].map(([hash, text]): ContentObject => ({ hash, kind: 'tree', data: text })),
      ...(root === base ? [] : [{ hash: root, kind: 'content' as const, data }]),
    ],
  };
}

function packed(source: ComputedSource | null, objects: Objects): Packed | undefined {
  return source === null ? undefined : pack(storable(source), objects);
}

/** Content without redirects has none in its root, so that it equals content that never had any. */
function packedList(records: readonly object[], objects: Objects): Packed | undefined {
  return records.length === 0 ? undefined : pack(storable(records), objects);
}

function pageEntries({ pages, children }: ContentChange): Map<string, Storable> {
  const result = entriesOf(pages, pageKey);
  for (const [parent, ids] of children ?? []) {
    result.set(childrenKey(parent), ids && ids.length > 0 ? ids : undefined);
  }
  return result;
}

function entriesOf<Key, Value extends object>(
  records: ReadonlyMap<Key, Value | undefined> | undefined,
  keyOf: (key: Key) => string,
): Map<string, Storable> {
  const result = new Map<string, Storable>();
  for (const [key, record] of records ?? []) {
    result.set(keyOf(key), record === undefined ? undefined : storable(record));
  }
  return result;
}
