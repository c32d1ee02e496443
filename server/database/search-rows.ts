import { sql } from 'kysely';
import type { Queries, Transaction } from './database.ts';
import { engineOf } from './engine.ts';
import type { SearchPage, Section } from './search.ts';
import { phrases } from './words.ts';

/*
 * The rows of the search index, which search-writes.ts puts together to steps.
 */

/** Words of one section that are indexed; PostgreSQL's limit of 1 MB a section would be near beyond. */
export const MAX_INDEXED_SECTION_WORDS = 20_000;

/** Where pages are. */
export interface SearchedSpace {
  organization: string;
  space: string;
}

/** A page with all its sections, and what they were made from. */
export interface IndexedPage extends SearchPage {
  version: string;
}

export interface SectionRow extends Section {
  organization: string;
  space: string;
  page: string;
  pageTitle: string;
  pagePath: string;
  ordinal: number;
}

/** A section with what its engine indexes of it, which takes longer to work out than to write. */
export interface PreparedRow {
  row: SectionRow;
  words: readonly string[];
}

/** The rows of the sections of a page. */
export function sectionRows(
  { organization, space }: SearchedSpace,
  { page, title, path, sections }: SearchPage,
): SectionRow[] {
  return sections.map((section, ordinal) => ({
    ...section,
    organization,
    space,
    page,
    pageTitle: title,
    pagePath: path,
    ordinal,
  }));
}

/** Cuts the words of sections, ahead of the transaction that inserts them. */
export function prepare(queries: Queries, rows: readonly SectionRow[]): PreparedRow[] {
  const isPostgres = engineOf(queries) === 'postgres';
  return rows.map((row) => ({
    row,
    words: isPostgres
      ? [vector(row)]
      : [row.title, row.pageTitle, row.body].map((text) => indexedWords(text).join(' ')),
  }));
}

/** The words of a section with their places and weights, in the form that PostgreSQL's `tsvector` type reads. */
function vector({ title, pageTitle, body }: SectionRow): string {
  let place = 0;
  const entries: string[] = [];
  for (const [text, weight] of [
    [title, 'A'],
    [pageTitle, 'B'],
    [body, ''],
  ] as const) {
    for (const word of indexedWords(text)) entries.push(`'${word}':${++place}${weight}`);
    // A gap, so that no phrase reaches from one text into the next.
    place++;
  }
  return entries.join(' ');
}

const indexedWords = (text: string): string[] => phrases(text).flat().slice(0, MAX_INDEXED_SECTION_WORDS);

/** Inserts sections with their words. */
export async function insertSections(trx: Transaction, prepared: readonly PreparedRow[]): Promise<void> {
  if (prepared.length === 0) return;
  if (engineOf(trx) === 'postgres') {
    await trx
      .insertInto('searchSections')
      .values(prepared.map(({ row, words }) => ({ ...row, words: sql`${words[0]}::tsvector` })))
      .execute();
    return;
  }
  const inserted = await trx
    .insertInto('searchSections')
    .values(prepared.map(({ row }) => row))
    .returning(['id', 'page', 'ordinal'])
    .execute();
  const ids = new Map(inserted.map(({ id, page, ordinal }) => [`${ordinal} ${page}`, id]));
  const words = prepared.map(
    ({ row, words }) => sql`(${ids.get(`${row.ordinal} ${row.page}`)}, ${sql.join(words)})`,
  );
  await sql`insert into "searchWords" ("rowid", "title", "page", "body") values ${sql.join(words)}`.execute(
    trx,
  );
}

/** Deletes sections of some pages, or of the whole space, at most a number of them. Returns the page of each. */
export async function removeSections(
  trx: Transaction,
  { organization, space }: SearchedSpace,
  pages: readonly string[] | undefined,
  limit: number | undefined,
): Promise<string[]> {
  let found = trx
    .selectFrom('searchSections')
    .select('id')
    .where('organization', '=', organization)
    .where('space', '=', space);
  if (pages) found = found.where('page', 'in', pages);
  if (limit !== undefined) found = found.limit(limit);
  const rows = await trx
    .deleteFrom('searchSections')
    .where('id', 'in', found)
    .returning(['id', 'page'])
    .execute();
  if (engineOf(trx) === 'sqlite') {
    const ids = JSON.stringify(rows.map(({ id }) => id));
    await sql`delete from "searchWords" where "rowid" in (select "value" from json_each(${ids}))`.execute(
      trx,
    );
  }
  return rows.map(({ page }) => page);
}

/** Records that pages are complete, and forgets those without sections. */
export async function setVersions(
  trx: Transaction,
  where: SearchedSpace,
  pages: ReadonlyArray<Pick<IndexedPage, 'page' | 'version' | 'sections'>>,
): Promise<void> {
  const [complete, gone] = [
    pages.filter(({ sections }) => sections.length > 0),
    pages.filter(({ sections }) => sections.length === 0).map(({ page }) => page),
  ];
  if (complete.length > 0) await putVersions(trx, where, complete);
  if (gone.length > 0) await removeVersions(trx, where, gone);
}

/** Removes the versions of some pages, or of all in the space. */
export async function removeVersions(
  trx: Transaction,
  { organization, space }: SearchedSpace,
  pages: readonly string[] | undefined,
): Promise<void> {
  let gone = trx
    .deleteFrom('searchPages')
    .where('organization', '=', organization)
    .where('space', '=', space);
  if (pages) gone = gone.where('page', 'in', pages);
  await gone.execute();
}

/** Records versions of pages, null for incomplete ones. */
export async function putVersions(
  trx: Transaction,
  { organization, space }: SearchedSpace,
  pages: ReadonlyArray<{ page: string; version: string | null }>,
): Promise<void> {
  await trx
    .insertInto('searchPages')
    .values(pages.map(({ page, version }) => ({ organization, space, page, version })))
    .onConflict((conflict) =>
      conflict
        .columns(['organization', 'space', 'page'])
        .doUpdateSet(({ ref }) => ({ version: ref('excluded.version') })),
    )
    .execute();
}
