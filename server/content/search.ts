import type { Selectable } from 'kysely';
import type { Database, Queries } from '../database/database.ts';
import { readJson, writeJson } from '../database/json.ts';
import type { SpacesTable } from '../database/schema/spaces/spaces.ts';
import type { IndexedPage, IndexedSpace } from '../database/search/rows.ts';
import { findPages } from '../database/search/search.ts';
import { removePages, replacePages, type SearchStep } from '../database/search/writes.ts';
import { type Computation, computeEntries, type EntryPages } from './computed/entries.ts';
import { entryOfChild } from './computed/pages.ts';
import { conditionalParts } from './expressions/visible-text.ts';
import { expandIncludes } from './includes/expand.ts';
import { locationOfPage } from './links/address.ts';
import { includersOf } from './links/includers.ts';
import { type DivideText, isIndexed, pageVersions, sectionsOf } from './search-sections.ts';
import { openContent } from './store/content.ts';
import { findRevision, requireRevision } from './store/revisions.ts';
import { changedPages } from './tree/changes.ts';
import type { Content, LocatedPage } from './tree/content.ts';
import { walk } from './tree/records.ts';
import { canonicalJson } from './tree/values.ts';
import { mapYielding } from './tree/yielding.ts';

/** Maximum number of page texts in memory during indexing. */
export const MAX_INDEXED_PAGES = 25;
/** The state of the search index in the row of a space. */
type SearchState = Pick<
  Selectable<SpacesTable>,
  'organization' | 'language' | 'revision' | 'searchedRevision' | 'searchedEntries' | 'searchRun'
>;

/** Pages to remove from and to add to the search index. */
interface SearchChanges {
  removed: readonly string[];
  pages: readonly LocatedPage[];
}

/**
 * Updates the search index of a space to its active revision and the sources of its computed pages, starting from the
 * current index. A second call changes nothing. Stops if another revision becomes active, the space is transferred, its
 * language changes or another call begins meanwhile: each of these causes the space to be indexed.
 *
 * Reads and computes outside transactions, and writes in as many short ones as needed. The first of several clears
 * `searchedRevision` and the last one sets it. If the last one is never reached, the next call compares the version
 * of each indexed page with the content, and continues with those that differ.
 *
 * @param computationOf returns the computation of an organization's pages
 * @param dividerOf returns what divides the texts of an organization
 * @param signal stops between two transactions
 */
export async function indexSpace(
  database: Database,
  id: string,
  computationOf: (organization: string) => Computation,
  dividerOf: (organization: string) => DivideText = () => conditionalParts,
  signal?: AbortSignal,
): Promise<void> {
  const { query } = database;
  const before = await readState(query, id);
  if (!before) {
    return;
  }
  const active = await openContent(query, await requireRevision(query, id, before.revision));
  const { content, entries } = await computeEntries(active, computationOf(before.organization));
  const changes = await planChanges(query, { ...before, id }, active, entries);
  const seeds = Object.fromEntries([...entries].map(([entry, { seed }]) => [entry, seed]));
  const after = {
    searchedRevision: before.revision,
    searchedEntries: entries.size > 0 ? writeJson(seeds) : null,
  };
  const isCurrent =
    before.searchedRevision === after.searchedRevision && before.searchedEntries === after.searchedEntries;
  if (isCurrent && changes.removed.length + changes.pages.length === 0) {
    return;
  }

  const run = before.searchRun + 1;
  const write = (step: SearchStep, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }) =>
    database.transaction(async (trx) => {
      const now = await readState(trx, id);
      const isUnchanged =
        now?.revision === before.revision &&
        now.organization === before.organization &&
        now.language === before.language;
      if (!isUnchanged || now.searchRun !== (isFirst ? before.searchRun : run)) {
        return false;
      }
      await step(trx);
      const state = isLast ? after : { searchedRevision: null, searchedEntries: null };
      if (isFirst || isLast) {
        await trx
          .updateTable('spaces')
          .set({ ...state, searchRun: run })
          .where('id', '=', id)
          .execute();
      }
      return true;
    });
  let isFirst = true;
  let step: SearchStep | undefined;
  const { organization, language } = before;
  const space = { organization, space: id, language };
  const versionOf = await pageVersions(active, language);
  const divide = dividerOf(organization);
  for await (const next of stepsOf(query, space, content, { ...changes, versionOf, divide })) {
    signal?.throwIfAborted();
    if (step) {
      if (!(await write(step, { isFirst, isLast: false }))) {
        return;
      }
      isFirst = false;
    }
    step = next;
  }
  await write(step ?? (async () => {}), { isFirst, isLast: true });
}

/** Yields the steps of all changes; texts are read when their step is requested. */
async function* stepsOf(
  queries: Queries,
  space: IndexedSpace,
  content: Content,
  {
    removed,
    pages,
    versionOf,
    divide,
  }: SearchChanges & { versionOf: (page: LocatedPage) => string; divide: DivideText },
): AsyncGenerator<SearchStep> {
  yield* removePages(queries, space, removed);
  const variables = await content.readVariables();
  // A computed page may be as long as many others, so it ends a batch.
  for (const batch of batchesOf(pages, MAX_INDEXED_PAGES, ({ record }) => 'computed' in record)) {
    const bodies = await content.readBodies(batch.map(({ record }) => record));
    const indexed: IndexedPage[] = [];
    for (const page of batch) {
      const { id, title } = page.record;
      const text = bodies.get(id) ?? '';
      const from = locationOfPage(page.record, page.path);
      const markdown = await expandIncludes(text, from, content, { reusable: true });
      const sections = await sectionsOf(page, markdown, variables, divide);
      indexed.push({ page: id, title, path: page.path, sections, version: versionOf(page) });
    }
    yield* replacePages(queries, space, indexed);
  }
}

function readState(queries: Queries, id: string): Promise<SearchState | undefined> {
  return queries
    .selectFrom('spaces')
    .select(['organization', 'language', 'revision', 'searchedRevision', 'searchedEntries', 'searchRun'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Compares the indexed revision with the active one. Compares the version of each page if no revision is indexed, or
 * if variables or reusable contents changed, which any page may display.
 */
async function planChanges(
  queries: Queries,
  { id, organization, language, searchedRevision, searchedEntries }: SearchState & { id: string },
  active: Content,
  entries: ReadonlyMap<string, EntryPages>,
): Promise<SearchChanges> {
  const findIndexedPages = (prefix: string) => findPages(queries, { organization, space: id, prefix });
  const pagesById = new Map<string, LocatedPage>();
  const removed = new Set<string>();
  const add = (located: Iterable<LocatedPage>) => {
    for (const { record, path } of located) {
      pagesById.set(record.id, { record, path });
    }
  };
  const indexed = searchedRevision === null ? undefined : await findRevision(queries, id, searchedRevision);
  const before = indexed && (await openContent(queries, indexed));
  if (before && hasSameParts(before, active)) {
    const changes = await changedPages(before, active);
    const touched = new Set([...changes.added, ...changes.changed, ...changes.repathed]);
    const located = [...(await active.readLocatedPages(touched)).values()];
    const locatedBefore = await before.readLocatedPages(
      new Set([...changes.removed, ...changes.changed, ...changes.repathed]),
    );
    const includers = await includersOf([...located, ...locatedBefore.values()], active);
    add(located);
    add((await active.readLocatedPages(includers)).values());
    for (const page of changes.removed) {
      removed.add(page);
    }
    const seeds = readJson(searchedEntries) ?? {};
    const isSame = (entry: string) => seeds[entry] === entries.get(entry)?.seed && !touched.has(entry);
    for (const entry of Object.keys(seeds).filter((entry) => !isSame(entry))) {
      const children = await findIndexedPages(`${entry}-`);
      for (const page of [entry, ...[...children.keys()].filter((page) => entryOfChild(page) === entry)]) {
        removed.add(page);
      }
    }
    for (const [entry, computed] of entries) {
      if (!isSame(entry)) {
        add(computed.pages);
      }
    }
  } else {
    add(walk(await active.readTree()));
    for (const computed of entries.values()) {
      add(computed.pages);
    }
    const indexedVersions = await findIndexedPages('');
    for (const page of indexedVersions.keys()) {
      if (!pagesById.has(page)) {
        removed.add(page);
      }
    }
    const versionOf = await pageVersions(active, language);
    const versions = await mapYielding(pagesById.values(), (page) => [page.record, versionOf(page)] as const);
    for (const [record, version] of versions) {
      const isUpToDate = indexedVersions.has(record.id)
        ? indexedVersions.get(record.id) === version
        : !isIndexed(record);
      if (isUpToDate) {
        pagesById.delete(record.id);
      }
    }
  }
  return { removed: [...removed].filter((page) => !pagesById.has(page)), pages: [...pagesById.values()] };
}

const hasSameParts = (before: Content, after: Content): boolean => partsOf(before) === partsOf(after);

const partsOf = ({ roots: { variables, reusableContents } }: Content): string =>
  canonicalJson([variables, reusableContents]);

/** Splits a list into batches; an item that satisfies the predicate is the last of its batch. */
function* batchesOf<Item>(
  items: readonly Item[],
  size: number,
  isEnd: (item: Item) => boolean = () => false,
): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size && !isEnd(item)) {
      continue;
    }
    yield batch;
    batch = [];
  }
  if (batch.length > 0) {
    yield batch;
  }
}
