import type { components } from '../../../generated/schema.d.ts';
import { asFile, asIds, asPage, type Content, type LocatedPage } from '../tree/content.ts';
import {
  type FileRecord,
  fileKey,
  type PageRecord,
  pageKey,
  pathWithin,
  type ReusableRecord,
} from '../tree/records.ts';
import { type Difference, diff } from '../tree/trie-diff.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';
import { longestIncreasingSubsequence } from './order.ts';
import { comparePages, compareValues, type ValueChange } from './page-changes.ts';
import { joinById, same } from './sides.ts';

type PageChanges = components['schemas']['PageChanges'];

/** A change between two contents, as people describe it. */
export type SemanticChange =
  | { type: 'page_created' | 'page_deleted'; page: LocatedPage }
  | { type: 'page_edited'; page: LocatedPage; attributes: PageChanges }
  | { type: 'page_moved'; page: LocatedPage; parent: ValueChange<LocatedPage> }
  | { type: 'file_created' | 'file_deleted'; file: FileRecord }
  | { type: 'file_edited'; before: FileRecord; file: FileRecord }
  | { type: 'reusable_content_created' | 'reusable_content_deleted'; reusable: ReusableRecord }
  | { type: 'reusable_content_edited'; before: ReusableRecord; reusable: ReusableRecord }
  | { type: 'variables_edited'; variables: ReadonlyMap<string, ValueChange<string>> };

/** The first changes between two contents, and the number of the others. */
export interface SemanticChanges {
  changes: SemanticChange[];
  more: number;
}

/**
 * Compares two contents of an organization. Pages are in the order of their paths, then files in the order of their
 * names. The cost is proportional to the difference.
 *
 * @param limit maximum number of changes to return
 */
export async function compareContents(
  before: Content,
  after: Content,
  limit: number,
): Promise<SemanticChanges> {
  const first = new FirstItems<SemanticChange>(limit, orderOf);
  for await (const change of changesBetween(before, after)) {
    first.add(change);
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  const changes = first.items();
  return { changes, more: first.count - changes.length };
}

async function* changesBetween(before: Content, after: Content): AsyncGenerator<SemanticChange> {
  yield* pageChanges(before, after);
  for (const [key, difference] of await diff(before.roots.files, after.roots.files, after.load)) {
    if (key.startsWith(fileKey(''))) {
      yield* fileChanges(mapSides(difference, asFile));
    }
  }
  if (!same(before.roots.reusableContents, after.roots.reusableContents)) {
    const [old, current] = await Promise.all([before.readReusableContents(), after.readReusableContents()]);
    yield* reusableContentChanges(old, current);
  }
  if (!same(before.roots.variables, after.roots.variables)) {
    const [old, current] = await Promise.all([before.readVariables(), after.readVariables()]);
    const sides = { ancestor: Object.entries(old), primary: Object.entries(current), branch: undefined };
    const variables = new Map<string, ValueChange<string>>();
    for (const [name, { ancestor, primary }] of joinById<string>(sides)) {
      const change = compareValues(ancestor, primary);
      if (change) {
        variables.set(name, change);
      }
    }
    yield { type: 'variables_edited', variables };
  }
}

async function* pageChanges(before: Content, after: Content): AsyncGenerator<SemanticChange> {
  const differences = await diff(before.roots.pages, after.roots.pages, after.load);
  const pages = new Map<string, ValueChange<PageRecord>>();
  const moved = new Set<string>();
  for (const [key, difference] of differences) {
    if (key.startsWith(pageKey(''))) {
      const page = mapSides(difference, asPage);
      pages.set(key.slice(pageKey('').length), page);
    } else {
      for (const id of reorderedIds(asIds(difference.before), asIds(difference.after))) {
        moved.add(id);
      }
    }
  }
  for (const [id, page] of pages) {
    if (page.before && page.after && page.before.parent !== page.after.parent) {
      moved.add(id);
    }
  }
  const unchanged = [...moved].filter((id) => !pages.has(id));
  for (const [id, record] of await after.readPages(unchanged)) {
    pages.set(id, { before: record, after: record });
  }
  yield* locatedChanges(pages, moved, {
    before: await before.readLocatedPages(locatedIds(pages, 'before')),
    after: await after.readLocatedPages(locatedIds(pages, 'after')),
  });
}

/** Returns the IDs of the pages on a side, and of their parents. */
const locatedIds = (pages: ReadonlyMap<string, ValueChange<PageRecord>>, side: keyof ValueChange<unknown>) =>
  new Set(
    [...pages.values()].flatMap(({ [side]: record }) =>
      record ? [record.id, record.parent ?? []].flat() : [],
    ),
  );

function* locatedChanges(
  pages: ReadonlyMap<string, ValueChange<PageRecord>>,
  moved: ReadonlySet<string>,
  located: Record<'before' | 'after', ReadonlyMap<string, LocatedPage>>,
): Generator<SemanticChange> {
  for (const [id, { before, after }] of pages) {
    const old = before && locatedPage(before, located.before);
    const current = after && locatedPage(after, located.after);
    if (before && after && before.type === after.type && current) {
      const attributes = comparePages(before, after);
      if (Object.keys(attributes).length > 0 || hasOtherSource(before, after)) {
        yield { type: 'page_edited', page: current, attributes };
      }
      if (moved.has(id)) {
        const parentOf = ({ parent }: PageRecord, side: 'before' | 'after') =>
          parent === null ? undefined : located[side].get(parent);
        const [from, to] = [parentOf(before, 'before'), parentOf(after, 'after')];
        yield {
          type: 'page_moved',
          page: current,
          parent: { ...(from && { before: from }), ...(to && { after: to }) },
        };
      }
      continue;
    }
    if (old) {
      yield { type: 'page_deleted', page: old };
    }
    if (current) {
      yield { type: 'page_created', page: current };
    }
  }
}

/** Returns whether a placeholder has another source of its pages, which no attribute represents. */
const hasOtherSource = (before: PageRecord, after: PageRecord): boolean =>
  before.type === 'computed' && after.type === 'computed' && !same(before.computed, after.computed);

/** Returns a page with its path; a page outside the tree has the path of a page at the root. */
const locatedPage = (record: PageRecord, located: ReadonlyMap<string, LocatedPage>): LocatedPage =>
  located.get(record.id) ?? { record, path: pathWithin('', record) };

/** Returns the IDs that both lists have, except for the most that are in the same order in both. */
function reorderedIds(before: readonly string[], after: readonly string[]): string[] {
  const positions = new Map(before.map((id, position) => [id, position]));
  const retained = after.filter((id) => positions.has(id));
  const inOrder = new Set(longestIncreasingSubsequence(retained.map((id) => positions.get(id) ?? 0)));
  return retained.filter((_, index) => !inOrder.has(index));
}

function* fileChanges({ before, after }: ValueChange<FileRecord>): Generator<SemanticChange> {
  if (before && after) {
    if (!same(editableParts(before), editableParts(after))) {
      yield { type: 'file_edited', before, file: after };
    }
  } else if (before) {
    yield { type: 'file_deleted', file: before };
  } else if (after) {
    yield { type: 'file_created', file: after };
  }
}

/** Returns the parts of a file that people change: not its Git data. */
const editableParts = ({ name, contentType, blob, size, dimensions }: FileRecord) => ({
  name,
  contentType,
  blob,
  size,
  dimensions: dimensions ?? null,
});

function* reusableContentChanges(
  before: readonly ReusableRecord[],
  after: readonly ReusableRecord[],
): Generator<SemanticChange> {
  const byId = (records: readonly ReusableRecord[]) => records.map((record) => [record.id, record] as const);
  const sides = { ancestor: byId(before), primary: byId(after), branch: undefined };
  for (const { ancestor, primary } of joinById<ReusableRecord>(sides).values()) {
    if (ancestor && primary) {
      if (ancestor.title !== primary.title || ancestor.body !== primary.body) {
        yield { type: 'reusable_content_edited', before: ancestor, reusable: primary };
      }
    } else if (ancestor) {
      yield { type: 'reusable_content_deleted', reusable: ancestor };
    } else if (primary) {
      yield { type: 'reusable_content_created', reusable: primary };
    }
  }
}

const mapSides = <Value>(
  { before, after }: Difference,
  as: (value: NonNullable<Difference['before']>) => Value,
): ValueChange<Value> => ({
  ...(before !== undefined && before !== null && { before: as(before) }),
  ...(after !== undefined && after !== null && { after: as(after) }),
});

/** Returns what changes are sorted by: their kind, the path or name, the ID, and the type. */
function orderOf(change: SemanticChange): string[] {
  if ('page' in change) {
    return ['1', change.page.path, change.page.record.id, change.type];
  }
  if ('file' in change) {
    return ['2', change.file.name, change.file.id];
  }
  return 'reusable' in change ? ['3', change.reusable.title, change.reusable.id] : ['4'];
}

/** Collects the first items of a sequence in a sorted order, without sorting all of them at once. */
class FirstItems<Item> {
  readonly #limit: number;
  readonly #keyOf: (item: Item) => readonly string[];
  #entries: Array<{ key: readonly string[]; item: Item }> = [];
  count = 0;

  constructor(limit: number, keyOf: (item: Item) => readonly string[]) {
    this.#limit = limit;
    this.#keyOf = keyOf;
  }

  add(item: Item): void {
    this.count += 1;
    this.#entries.push({ key: this.#keyOf(item), item });
    if (this.#entries.length >= 2 * (this.#limit + 100)) {
      this.#truncate();
    }
  }

  items(): Item[] {
    this.#truncate();
    return this.#entries.map(({ item }) => item);
  }

  #truncate(): void {
    this.#entries = this.#entries.sort((a, b) => compareKeys(a.key, b.key)).slice(0, this.#limit);
  }
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? '';
    if (part !== other) {
      return part < other ? -1 : 1;
    }
  }
  return 0;
}
