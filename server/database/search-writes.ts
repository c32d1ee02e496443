import { batches } from './batches.ts';
import type { Queries, Transaction } from './database.ts';
import type { SearchPage, Section } from './search.ts';
import {
  type IndexedPage,
  insertSections,
  prepare,
  putVersions,
  removeSections,
  removeVersions,
  type SearchedSpace,
  type SectionRow,
  sectionRows,
  setVersions,
} from './search-rows.ts';

/*
 * Writes the index that search.ts reads, in steps that are short enough to be a transaction each: writers of all
 * processes wait while one is at work. A page of few sections is replaced in one step. One of many is removed and
 * added in several; until the last one, `searchPages` has no version of it.
 */

/** Sections that one transaction removes from the search index and adds to it, at most. */
export const MAX_STEP_SECTIONS = 400;
/** Characters after which a transaction adds no further section to the search index. */
export const MAX_STEP_CHARACTERS = 128_000;
/** Part of the work, done within a transaction. Nobody else may write the same pages between two steps. */
export type SearchStep = (trx: Transaction) => Promise<void>;

/** Pages that one step replaces. */
interface Batch {
  pages: IndexedPage[];
  sections: number;
  characters: number;
}

/** Replaces what search knows of these pages; a page without sections is forgotten. Words are cut between steps. */
export async function* replacePages(
  queries: Queries,
  where: SearchedSpace,
  pages: readonly IndexedPage[],
): AsyncGenerator<SearchStep> {
  const counts = await countSections(queries, where, pages);
  let batch: Batch = { pages: [], sections: 0, characters: 0 };
  for (const page of pages) {
    const indexed = counts.get(page.page) ?? 0;
    const sections = indexed + page.sections.length;
    const characters = page.sections.reduce((sum, section) => sum + lengthOf(section), 0);
    if (
      batch.sections + sections > MAX_STEP_SECTIONS ||
      batch.characters + characters > MAX_STEP_CHARACTERS
    ) {
      yield* replaceBatch(queries, where, batch);
      batch = { pages: [], sections: 0, characters: 0 };
    }
    if (sections > MAX_STEP_SECTIONS || characters > MAX_STEP_CHARACTERS)
      yield* replaceLargePage(queries, where, page, indexed);
    else {
      batch.pages.push(page);
      batch.sections += sections;
      batch.characters += characters;
    }
  }
  yield* replaceBatch(queries, where, batch);
}

/** Forgets pages. */
export async function* removePages(
  queries: Queries,
  where: SearchedSpace,
  pages: readonly string[],
): AsyncGenerator<SearchStep> {
  for (const batch of batches(pages, MAX_STEP_SECTIONS)) {
    yield* replacePages(
      queries,
      where,
      batch.map((page) => ({ page, title: '', path: '', sections: [], version: '' })),
    );
  }
}

/**
 * Forgets some sections of a space.
 *
 * @returns whether those were all
 */
export async function removeFromSpace(trx: Transaction, where: SearchedSpace): Promise<boolean> {
  const removed = await removeSections(trx, where, undefined, MAX_STEP_SECTIONS);
  const isAll = removed.length < MAX_STEP_SECTIONS;
  if (isAll) await removeVersions(trx, where, undefined);
  else {
    const incomplete = new Set(removed);
    await putVersions(
      trx,
      where,
      Array.from(incomplete, (page) => ({ page, version: null })),
    );
  }
  return isAll;
}

function* replaceBatch(queries: Queries, where: SearchedSpace, { pages }: Batch): Generator<SearchStep> {
  if (pages.length === 0) return;
  const rows = pages.flatMap((page) => prepare(queries, sectionRows(where, page)));
  yield async (trx) => {
    const ids = pages.map(({ page }) => page);
    await removeSections(trx, where, ids, undefined);
    await insertSections(trx, rows);
    await setVersions(trx, where, pages);
  };
}

function* replaceLargePage(
  queries: Queries,
  where: SearchedSpace,
  page: IndexedPage,
  indexed: number,
): Generator<SearchStep> {
  const { page: id, version, sections } = page;
  yield async (trx) => {
    if (indexed > 0 || sections.length > 0) await putVersions(trx, where, [{ page: id, version: null }]);
    await removeSections(trx, where, [id], MAX_STEP_SECTIONS);
  };
  for (let removed = MAX_STEP_SECTIONS; removed < indexed; removed += MAX_STEP_SECTIONS)
    yield async (trx) => {
      await removeSections(trx, where, [id], MAX_STEP_SECTIONS);
    };
  for (const rows of stepsOf(sectionRows(where, page))) {
    const prepared = prepare(queries, rows);
    yield (trx) => insertSections(trx, prepared);
  }
  yield (trx) => setVersions(trx, where, [{ page: id, version, sections }]);
}

/** Cuts sections into those that one step can add. */
function* stepsOf(rows: readonly SectionRow[]): Generator<SectionRow[]> {
  let step: SectionRow[] = [];
  let characters = 0;
  for (const row of rows) {
    step.push(row);
    characters += lengthOf(row);
    if (step.length < MAX_STEP_SECTIONS && characters < MAX_STEP_CHARACTERS) continue;
    yield step;
    step = [];
    characters = 0;
  }
  if (step.length > 0) yield step;
}

const lengthOf = ({ title, body }: Section): number => title.length + body.length;

/** How many sections search knows of each page. */
async function countSections(
  queries: Queries,
  { organization, space }: SearchedSpace,
  pages: readonly SearchPage[],
): Promise<Map<string, number>> {
  const ids = pages.map(({ page }) => page);
  const rows = await queries
    .selectFrom('searchSections')
    .select(({ fn }) => ['page', fn.countAll<number>().as('sections')])
    .where('organization', '=', organization)
    .where('space', '=', space)
    .where('page', 'in', ids)
    .groupBy('page')
    .execute();
  return new Map(rows.map(({ page, sections }) => [page, Number(sections)]));
}
