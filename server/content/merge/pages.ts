import type { ContentChange } from '../tree/change.ts';
import { asIds, asPage } from '../tree/content.ts';
import type { ContentObject } from '../tree/objects.ts';
import { childrenKey, type PageRecord, pageKey } from '../tree/records.ts';
import { diff } from '../tree/trie-diff.ts';
import type { Json } from '../tree/values.ts';
import { type Body, mergeBodies } from './bodies.ts';
import { type FieldConflict, mergeFields } from './fields.ts';
import type { MergeOptions } from './lines.ts';
import { mergeOrder } from './order.ts';
import {
  conflictOf,
  joinDifferences,
  type MergeConflict,
  type MergeSides,
  mapSides,
  type Side,
  type Sides,
  same,
} from './sides.ts';
import { separateSlugs } from './slugs.ts';
import { type MergedTree, mergeTree, type TouchedPages } from './tree.ts';

/** Lists of children that differ on any side, by parent page. */
type ChangedLists = ReadonlyMap<string | null, Sides<string[]>>;

/** Result of merging one kind of resource: the change to the primary content. */
export interface Merged<Change> {
  change: Change;
  texts: ContentObject[];
  conflicts: MergeConflict[];
}

/** Merges pages, their order and their texts. */
export async function mergePages(
  sides: MergeSides,
  options: MergeOptions,
): Promise<Merged<Required<Pick<ContentChange, 'pages' | 'children'>>>> {
  const { pages: touched, lists } = await readDifferences(sides);
  const tree = await mergeTree(touched, (ids) => sides.primary.readPages(ids), options.prefer);
  const { pages, texts, conflicts } = await mergeRecords(sides, touched, tree, options);
  const children = mergeChildren(touched, lists, tree);
  await separateSlugs(pages, touched, async (parent) => {
    const listed = children.get(parent);
    const siblings = listed
      ? await sides.primary.readPages(listed.filter((id) => !pages.has(id)))
      : new Map((await sides.primary.readChildren(parent)).map((page) => [page.id, page]));
    return (listed ?? [...siblings.keys()]).flatMap((id) => pages.get(id) ?? siblings.get(id) ?? []);
  });
  return { change: changeOf(touched, pages, lists, children), texts, conflicts };
}

async function readDifferences({ ancestor, primary, branch }: MergeSides) {
  const [toPrimary, toBranch] = await Promise.all(
    [primary, branch].map((side) => diff(ancestor.roots.pages, side.roots.pages, side.load)),
  );
  const pages = new Map<string, Sides<PageRecord>>();
  const lists = new Map<string | null, Sides<string[]>>();
  const [page, list] = [pageKey(''), childrenKey(null)];
  const joined = joinDifferences(toPrimary ?? new Map(), toBranch ?? new Map(), (value: Json) => value);
  for (const [key, values] of joined) {
    if (key.startsWith(page)) {
      pages.set(key.slice(page.length), mapSides(values, asPage));
    } else {
      lists.set(key === list ? null : key.slice(list.length), mapSides(values, asIds));
    }
  }
  return { pages, lists };
}

/** A page with an unmerged text. */
interface Draft {
  record: PageRecord;
  body: Body;
}

/** Merges the records and texts of the touched pages that remain. */
async function mergeRecords(
  sides: MergeSides,
  touched: TouchedPages,
  tree: MergedTree,
  options: MergeOptions,
) {
  const drafts = new Map<string, Draft>();
  for (const id of tree.parents.keys()) {
    const draft = draftOf(id, touched.get(id), tree, options.prefer);
    if (draft) {
      drafts.set(id, draft);
    }
  }
  const bodiesById = new Map([...drafts].map(([id, { body }]) => [id, body]));
  const bodies = await mergeBodies(sides, bodiesById, options);
  const pages = new Map<string, PageRecord>();
  const texts: ContentObject[] = [];
  const conflicts: MergeConflict[] = [...tree.dropped].map((page) => ({ page, part: 'deleted' }));
  for (const [id, { record, body }] of drafts) {
    const merged = bodies.get(id);
    pages.set(id, withBody(record, merged?.hash));
    if (merged?.text) {
      texts.push(merged.text);
    }
    const whole = body.deletedBy !== undefined ? ['deleted'] : merged?.conflict ? ['text'] : [];
    for (const part of [...whole, ...body.fields.map(({ name }) => name)]) {
      const line = part === 'text' ? { line: merged?.line } : {};
      conflicts.push({ page: id, ...conflictOf(part, options.prefer), ...line });
    }
  }
  return { pages, texts, conflicts };
}

function draftOf(
  id: string,
  sides: Sides<PageRecord> | undefined,
  tree: MergedTree,
  prefer: Side | undefined,
): Draft | undefined {
  const { ancestor, primary, branch } = sides ?? {};
  const parent = tree.parents.get(id) ?? null;
  const deletedBy = tree.deletedBy.get(id);
  if (primary && branch) {
    const { record, conflicts } = mergeFields({ ancestor, primary, branch }, prefer);
    const moves = tree.displaced.has(id) ? [parentConflict(primary, branch)] : [];
    const hashes = mapSides({ ancestor, primary, branch }, bodyOf);
    return { record: { ...record, parent }, body: { hashes, deletedBy, fields: [...moves, ...conflicts] } };
  }
  const record = primary ?? branch;
  if (!record) {
    return undefined;
  }
  // The ancestor does not matter for a page that one side deleted: it stays as the other side has it.
  const hashes = mapSides({ ancestor: undefined, primary, branch }, bodyOf);
  return { record: { ...record, parent }, body: { hashes, deletedBy, fields: [] } };
}

function parentConflict(primary: PageRecord, branch: PageRecord): FieldConflict {
  const describeParent = ({ parent }: PageRecord) =>
    parent === null ? 'none (top level)' : `/pages/${parent}`;
  return { name: 'parent', primary: describeParent(primary), branch: describeParent(branch) };
}

const bodyOf = (record: PageRecord) => (record.type === 'document' ? record.body : undefined);

/** Sets or removes the text of a page. A text replaces a computed one. */
function withBody(record: PageRecord, hash: string | undefined): PageRecord {
  if (record.type !== 'document' || record.body === hash) {
    return record;
  }
  const { body, computed, computedSeed, ...rest } = record;
  if (hash !== undefined) {
    return { ...rest, body: hash };
  }
  return { ...rest, ...(computed && { computed }), ...(computedSeed !== undefined && { computedSeed }) };
}

/** Merges the lists of children: each remaining page is in the list of its merged parent. */
function mergeChildren(touched: TouchedPages, lists: ChangedLists, { parents }: MergedTree) {
  const merged = new Map<string | null, string[]>();
  for (const [parent, { ancestor = [], primary = [], branch = [] }] of lists) {
    const belongs = (id: string) => !touched.has(id) || parents.get(id) === parent;
    merged.set(parent, mergeOrder({ ancestor, primary, branch }, belongs));
  }
  return merged;
}

/** Returns the changes to the primary content. */
function changeOf(
  touched: TouchedPages,
  pages: ReadonlyMap<string, PageRecord>,
  lists: ChangedLists,
  children: ReadonlyMap<string | null, readonly string[]>,
) {
  return {
    pages: new Map(
      [...touched].flatMap(([id, { primary }]) =>
        same(primary, pages.get(id)) ? [] : [[id, pages.get(id)] as const],
      ),
    ),
    children: new Map([...children].filter(([parent, ids]) => !same(lists.get(parent)?.primary ?? [], ids))),
  };
}
