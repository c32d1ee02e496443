import { batches } from '../batches.ts';
import type { Queries, Transaction } from '../database.ts';
import {
  type IndexedPage,
  type IndexedSpace,
  insertSections,
  prepare,
  removeSections,
  removeVersions,
  type SearchedSpace,
  type SectionRow,
  sectionRows,
  setVersions,
  storeVersions,
} from './rows.ts';
import type { SearchPage, Section } from './types.ts';

/*
 * Writes the search index in steps, each a short transaction, since writers of all processes wait for it. A small page
 * is replaced in one step. A large page is removed and added in several steps; until the last one, its version in
 * `searchPages` is null.
 */

/** Maximum number of sections that a transaction removes from and adds to the search index. */
export const MAX_STEP_SECTIONS = 400;
/** Number of characters after which a transaction stops adding sections to the search index. */
export const MAX_STEP_CHARACTERS = 128_000;
/** A step that runs in a transaction. The same pages must not be written by others between two steps. */
export type SearchStep = (trx: Transaction) => Promise<void>;

/** Pages to replace in one step. */
interface Batch {
  pages: IndexedPage[];
  sections: number;
  characters: number;
}

/** Replaces pages in the search index; removes pages without sections. Words are split between steps. */
export async function* replacePages(
  queries: Queries,
  space: IndexedSpace,
  pages: readonly IndexedPage[],
): AsyncGenerator<SearchStep> {
  const counts = await countSections(queries, space, pages);
  let batch: Batch = { pages: [], sections: 0, characters: 0 };
  for (const page of pages) {
    const indexed = counts.get(page.page) ?? 0;
    const sections = indexed + page.sections.length;
    const characters = page.sections.reduce((sum, section) => sum + lengthOf(section), 0);
    if (
      batch.sections + sections > MAX_STEP_SECTIONS ||
      batch.characters + characters > MAX_STEP_CHARACTERS
    ) {
      yield* replaceBatch(queries, space, batch);
      batch = { pages: [], sections: 0, characters: 0 };
    }
    if (sections > MAX_STEP_SECTIONS || characters > MAX_STEP_CHARACTERS) {
      yield* replaceLargePage(queries, space, page, indexed);
    } else {
      batch.pages.push(page);
      batch.sections += sections;
      batch.characters += characters;
    }
  }
  yield* replaceBatch(queries, space, batch);
}

/** Removes pages from the search index. */
export async function* removePages(
  queries: Queries,
  space: SearchedSpace,
  pages: readonly string[],
): AsyncGenerator<SearchStep> {
  for (const batch of batches(pages, MAX_STEP_SECTIONS)) {
    yield* replacePages(
      queries,
      { ...space, language: null },
      batch.map((page) => ({ page, title: '', path: '', sections: [], version: '' })),
    );
  }
}

/**
 * Removes up to {@link MAX_STEP_SECTIONS} sections of a space.
 *
 * @returns whether no sections are left
 */
export async function removeFromSpace(trx: Transaction, space: SearchedSpace): Promise<boolean> {
  const removed = await removeSections(trx, space, undefined, MAX_STEP_SECTIONS);
  const isAll = removed.length < MAX_STEP_SECTIONS;
  if (isAll) {
    await removeVersions(trx, space, undefined);
  } else {
    const incomplete = new Set(removed);
    await storeVersions(
      trx,
      space,
      Array.from(incomplete, (page) => ({ page, version: null })),
    );
  }
  return isAll;
}

function* replaceBatch(queries: Queries, space: IndexedSpace, { pages }: Batch): Generator<SearchStep> {
  if (pages.length === 0) {
    return;
  }
  const rows = pages.flatMap((page) => prepare(queries, sectionRows(space, page), space.language));
  yield async (trx) => {
    const ids = pages.map(({ page }) => page);
    await removeSections(trx, space, ids, undefined);
    await insertSections(trx, rows);
    await setVersions(trx, space, pages);
  };
}

function* replaceLargePage(
  queries: Queries,
  space: IndexedSpace,
  page: IndexedPage,
  indexed: number,
): Generator<SearchStep> {
  const { page: id, version, title, sections } = page;
  yield async (trx) => {
    if (indexed > 0 || sections.length > 0) {
      await storeVersions(trx, space, [{ page: id, version: null }]);
    }
    await removeSections(trx, space, [id], MAX_STEP_SECTIONS);
  };
  for (let removed = MAX_STEP_SECTIONS; removed < indexed; removed += MAX_STEP_SECTIONS) {
    yield async (trx) => {
      await removeSections(trx, space, [id], MAX_STEP_SECTIONS);
    };
  }
  for (const rows of stepsOf(sectionRows(space, page))) {
    const prepared = prepare(queries, rows, space.language);
    yield (trx) => insertSections(trx, prepared);
  }
  yield (trx) => setVersions(trx, space, [{ page: id, version, title, sections }]);
}

/** Splits sections into steps. */
function* stepsOf(rows: readonly SectionRow[]): Generator<SectionRow[]> {
  let step: SectionRow[] = [];
  let characters = 0;
  for (const row of rows) {
    step.push(row);
    characters += lengthOf(row);
    if (step.length < MAX_STEP_SECTIONS && characters < MAX_STEP_CHARACTERS) {
      continue;
    }
    yield step;
    step = [];
    characters = 0;
  }
  if (step.length > 0) {
    yield step;
  }
}

const lengthOf = ({ title, body }: Section): number => title.length + body.length;

/** Returns the number of indexed sections of each page. */
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
