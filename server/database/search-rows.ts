import { sql } from 'kysely';
import type { Queries, Transaction } from './database.ts';
import { engineOf } from './engine.ts';
import type { SearchPage, Section } from './search.ts';
import { phrases } from './words.ts';

/*
 * The rows of the search index, which search-writes.ts writes in steps.
 */

/** Maximum number of indexed words of a section, below the limit of PostgreSQL (1 MB per section). */
export const MAX_INDEXED_SECTION_WORDS = 20_000;

/** A space in the search index. */
export interface SearchedSpace {
  organization: string;
  space: string;
}

/** A page with all its sections and their version. */
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

/** A section with its indexed words, which are computed before the transaction. */
export interface PreparedRow {
  row: SectionRow;
  words: readonly string[];
}

/** Returns the rows of the sections of a page. */
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

/** Splits the words of sections, before the transaction that inserts them. */
export function prepare(queries: Queries, rows: readonly SectionRow[]): PreparedRow[] {
  const isPostgres = engineOf(queries) === 'postgres';
  return rows.map((row) => ({
    row,
    words: isPostgres
      ? [vector(row)]
      : [row.title, row.pageTitle, row.body].map((text) => indexedWords(text).join(' ')),
  }));
}

/** Formats the words of a section with their positions and weights for the `tsvector` type of PostgreSQL. */
function vector({ title, pageTitle, body }: SectionRow): string {
  let position = 0;
  const entries: string[] = [];
  for (const [text, weight] of [
    [title, 'A'],
    [pageTitle, 'B'],
    [body, ''],
  ] as const) {
    for (const word of indexedWords(text)) {
      entries.push(`'${word}':${++position}${weight}`);
    }
    // A gap, so that no phrase spans two texts.
    position++;
  }
  return entries.join(' ');
}

const indexedWords = (text: string): string[] => phrases(text).flat().slice(0, MAX_INDEXED_SECTION_WORDS);

/** Inserts sections with their words. */
export async function insertSections(trx: Transaction, prepared: readonly PreparedRow[]): Promise<void> {
  if (prepared.length === 0) {
    return;
  }
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

/** Deletes up to `limit` sections of pages, or of the whole space. Returns the page of each deleted section. */
export async function removeSections(
  trx: Transaction,
  { organization, space }: SearchedSpace,
  pages: readonly string[] | undefined,
  limit: number | undefined,
): Promise<string[]> {
  let ids = trx
    .selectFrom('searchSections')
    .select('id')
    .where('organization', '=', organization)
    .where('space', '=', space);
  if (pages) {
    ids = ids.where('page', 'in', pages);
  }
  if (limit !== undefined) {
    ids = ids.limit(limit);
  }
  const rows = await trx
    .deleteFrom('searchSections')
    .where('id', 'in', ids)
    .returning(['id', 'page'])
    .execute();
  if (engineOf(trx) === 'sqlite') {
    const deleted = JSON.stringify(rows.map(({ id }) => id));
    await sql`delete from "searchWords" where "rowid" in (select "value" from json_each(${deleted}))`.execute(
      trx,
    );
  }
  return rows.map(({ page }) => page);
}

/** Records the versions of complete pages, and deletes those of pages without sections. */
export async function setVersions(
  trx: Transaction,
  space: SearchedSpace,
  pages: ReadonlyArray<Pick<IndexedPage, 'page' | 'version' | 'sections'>>,
): Promise<void> {
  const [complete, empty] = [
    pages.filter(({ sections }) => sections.length > 0),
    pages.filter(({ sections }) => sections.length === 0).map(({ page }) => page),
  ];
  if (complete.length > 0) {
    await putVersions(trx, space, complete);
  }
  if (empty.length > 0) {
    await removeVersions(trx, space, empty);
  }
}

/** Deletes the versions of pages, or of all pages of the space. */
export async function removeVersions(
  trx: Transaction,
  { organization, space }: SearchedSpace,
  pages: readonly string[] | undefined,
): Promise<void> {
  let query = trx
    .deleteFrom('searchPages')
    .where('organization', '=', organization)
    .where('space', '=', space);
  if (pages) {
    query = query.where('page', 'in', pages);
  }
  await query.execute();
}

/** Records versions of pages; null for incomplete pages. */
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
