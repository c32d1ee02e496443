import { sql } from 'kysely';
import type { Queries, Transaction } from '../database.ts';
import { engineOf } from '../engine.ts';
import type { SearchLanguage } from './stems.ts';
import type { SearchPage, Section } from './types.ts';
import { type IndexedWords, indexedWords, plainWords } from './words.ts';

/*
 * The rows of the search index, which writes.ts writes in steps.
 */

/** Maximum number of indexed words of the heading, the page title and the text of a section, each. */
export const MAX_INDEXED_SECTION_WORDS = 20_000;
/** Maximum size of the words of a section on PostgreSQL, which limits it to 1 MB. Further words are not indexed. */
export const MAX_VECTOR_BYTES = 900_000;
/** Maximum length of the title words that rank a page first. */
export const MAX_TITLE_WORDS_CHARACTERS = 200;
/** Bytes of a position of a word, and of a word in addition to its characters and positions. */
const POSITION_BYTES = 2;
const WORD_BYTES = 8;
/** Separates the words from the forms on SQLite, so that no phrase spans both. */
const FORMS = '\u{e000}';

/** A space in the search index. */
export interface SearchedSpace {
  organization: string;
  space: string;
}

/** A space to index, with the language of its words. */
export interface IndexedSpace extends SearchedSpace {
  language: SearchLanguage;
}

/** A page with all its sections and their version. */
export interface IndexedPage extends SearchPage {
  version: string;
}

export interface SectionRow extends Section {
  condition: string | null;
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
    condition: section.condition ?? null,
    organization,
    space,
    page,
    pageTitle: title,
    pagePath: path,
    ordinal,
  }));
}

/** Splits the words of sections, before the transaction that inserts them. */
export function prepare(
  queries: Queries,
  rows: readonly SectionRow[],
  language: SearchLanguage,
): PreparedRow[] {
  const isPostgres = engineOf(queries) === 'postgres';
  const wordsOf = (text: string) => indexedWords(text, language, MAX_INDEXED_SECTION_WORDS);
  // All sections of a page have the same.
  let pageTitle = { text: '', words: wordsOf('') };
  return rows.map((row) => {
    if (row.pageTitle !== pageTitle.text) {
      pageTitle = { text: row.pageTitle, words: wordsOf(row.pageTitle) };
    }
    const texts = [wordsOf(row.title), pageTitle.words, wordsOf(row.body)];
    return { row, words: isPostgres ? [vector(texts)] : texts.map(wordList) };
  });
}

/** Formats words and their forms for the word index of SQLite. */
const wordList = ({ words, forms }: IndexedWords): string =>
  (forms.size === 0 ? words : [...words, FORMS, ...forms.keys()]).join(' ');

/** Weights of the words of a heading, a page title and a text in the `tsvector` type of PostgreSQL. */
const WEIGHTS = ['A', 'B', ''];

/** Formats the words of a section with their positions and weights for the `tsvector` type of PostgreSQL. */
function vector(texts: readonly IndexedWords[]): string {
  const entries: string[] = [];
  const added = new Set<string>();
  let bytes = 0;
  let start = 1;
  const add = (word: string, position: number, weight: string) => {
    bytes += POSITION_BYTES + (added.has(word) ? 0 : WORD_BYTES + Buffer.byteLength(word));
    if (bytes <= MAX_VECTOR_BYTES) {
      added.add(word);
      entries.push(`'${word}':${position}${weight}`);
    }
  };
  for (const [index, { words, forms }] of texts.entries()) {
    const weight = WEIGHTS[index] ?? '';
    for (const [at, word] of words.entries()) {
      add(word, start + at, weight);
    }
    for (const [form, at] of forms) {
      add(form, start + at, weight);
    }
    // A gap, so that no phrase spans two texts.
    start += words.length + 1;
  }
  return entries.join(' ');
}

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
  pages: ReadonlyArray<Pick<IndexedPage, 'page' | 'version' | 'title' | 'sections'>>,
): Promise<void> {
  const [complete, empty] = [
    pages.filter(({ sections }) => sections.length > 0),
    pages.filter(({ sections }) => sections.length === 0).map(({ page }) => page),
  ];
  if (complete.length > 0) {
    await storeVersions(
      trx,
      space,
      complete.map(({ sections, ...page }) => ({ ...page, sections: sections.length })),
    );
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

/** Records versions of pages, the words of their titles and the numbers of their sections; only null for incomplete pages. */
export async function storeVersions(
  trx: Transaction,
  { organization, space }: SearchedSpace,
  pages: ReadonlyArray<{ page: string; version: string | null; title?: string; sections?: number }>,
): Promise<void> {
  await trx
    .insertInto('searchPages')
    .values(
      pages.map(({ page, version, title, sections = null }) => ({
        organization,
        space,
        page,
        version,
        titleWords: title === undefined ? null : titleKey(title),
        sections,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['organization', 'space', 'page']).doUpdateSet(({ ref }) => ({
        version: ref('excluded.version'),
        titleWords: ref('excluded.titleWords'),
        sections: ref('excluded.sections'),
      })),
    )
    .execute();
}

/** Returns the words of a title that rank its page first. */
export const titleKey = (title: string): string => plainWords(title).slice(0, MAX_TITLE_WORDS_CHARACTERS);
