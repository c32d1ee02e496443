import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries, Transaction } from './database.ts';
import { engineOf } from './engine.ts';
import { phrases } from './words.ts';

/*
 * Full-text search over the sections of pages, the one place where the engines differ: FTS5 on the embedded
 * engine, tsvector on PostgreSQL. Both get the words as words.ts cuts them, so both find the same.
 */

/** A ranked list ends here: no search answers more sections than this. */
export const SEARCH_LIMIT = 1000;
/** Of more sections with the words of a query, only so many are compared with each other. */
export const MAX_RANKED_SECTIONS = 2000;

/** Rows written by one statement. */
const BATCH = 400;
/** Words of one section that are indexed; PostgreSQL's limit of 1 MB a section would be near beyond. */
export const MAX_INDEXED_SECTION_WORDS = 20_000;
/** Words of a query that are looked for. */
export const MAX_QUERY_WORDS = 32;

/** A stretch of a page under one heading. */
export interface Section {
  /** Unique in the page. */
  section: string;
  title: string;
  /** What an address of the section ends with, '' for the page's start. */
  anchor: string;
  /** Plain text, no markdown. */
  body: string;
}

/** A page with all its sections, in order. */
export interface SearchPage {
  page: string;
  title: string;
  path: string;
  sections: readonly Section[];
}

/** A section that a search found. `rank` compares within one answer: higher is better. */
export interface SearchHit extends Section {
  space: string;
  page: string;
  pageTitle: string;
  pagePath: string;
  rank: number;
}

export interface SearchRequest {
  organization: string;
  /** Where to look; undefined looks in all of the organization. */
  spaces?: readonly string[] | undefined;
  /** Where to look as a condition on the column that names the space, for spaces that nobody has listed. */
  condition?: (space: string) => RawBuilder<SqlBool>;
  /** What the user typed. Each word must be in the section; the last one may be the beginning of a word. */
  query: string;
  /** What an item of the list is: the sections of one page, or of one space. */
  groupBy: 'page' | 'space';
  /** Items to leave out, and to answer at most. */
  offset: number;
  limit: number;
}

/** Replaces what search knows of these pages; a page without sections is forgotten. */
export async function replacePageSections(
  trx: Transaction,
  { organization, space, pages }: { organization: string; space: string; pages: readonly SearchPage[] },
): Promise<void> {
  for (const batch of batches(pages)) {
    await forget(
      trx,
      organization,
      space,
      batch.map(({ page }) => page),
    );
  }
  const rows = pages.flatMap(({ page, title, path, sections }) =>
    sections.map((section, ordinal) => ({
      ...section,
      organization,
      space,
      page,
      pageTitle: title,
      pagePath: path,
      ordinal,
    })),
  );
  for (const batch of batches(rows)) {
    if (engineOf(trx) === 'postgres') {
      await trx
        .insertInto('searchSections')
        .values(batch.map((row) => ({ ...row, words: sql`${vector(row)}::tsvector` })))
        .execute();
    } else {
      await insertWithWords(trx, batch);
    }
  }
}

/** Forgets pages of a space, or all of them: when a space goes, or before it is indexed anew. */
export async function removePages(
  trx: Transaction,
  where: { organization: string; space: string; pages: readonly string[] },
): Promise<void> {
  for (const batch of batches(where.pages)) await forget(trx, where.organization, where.space, batch);
}

/** The ids that start with a text, of pages that search knows. */
export async function findPages(
  queries: Queries,
  { organization, space, prefix }: { organization: string; space: string; prefix: string },
): Promise<string[]> {
  // Ids compare by code point: those that start with the text stand together.
  const rows = await queries
    .selectFrom('searchSections')
    .select('page')
    .distinct()
    .where('organization', '=', organization)
    .where('space', '=', space)
    .where('page', '>=', prefix)
    .where('page', '<', `${prefix}\u{10FFFF}`)
    .execute();
  return rows.map(({ page }) => page);
}

/** Forgets a whole space. */
export async function removeSpace(
  trx: Transaction,
  { organization, space }: { organization: string; space: string },
): Promise<void> {
  await forget(trx, organization, space, undefined);
}

/** Hands what search knows of some spaces to another organization. */
export async function moveSpaces(
  trx: Transaction,
  { spaces, from, to }: { spaces: readonly string[]; from: string; to: string },
): Promise<void> {
  for (const batch of batches(spaces)) {
    await trx
      .updateTable('searchSections')
      .set({ organization: to })
      .where('organization', '=', from)
      .where('space', 'in', batch)
      .execute();
  }
}

/**
 * The best items first, each with its sections, the best first; `count` is the number of items in the whole list,
 * which ends at {@link SEARCH_LIMIT} sections. The query is words only: nothing in it is an operator.
 */
export async function searchSections(
  queries: Queries,
  request: SearchRequest,
): Promise<{ count: number; groups: SearchHit[][] }> {
  const { rows: ranked } = await rank(queries, request).execute(queries);
  const groups = [...Map.groupBy(ranked, (hit) => hit[request.groupBy]).values()];
  const shown = groups.slice(request.offset, request.offset + request.limit);
  const texts = await readSections(
    queries,
    shown.flat().map(({ id }) => id),
  );
  return {
    count: groups.length,
    groups: shown.map((group) =>
      group.flatMap(({ id, rank }) => {
        // Gone since it was found: then it is found no longer.
        const text = texts.get(id);
        return text ? [{ ...text, rank }] : [];
      }),
    ),
  };
}

interface RankedSection {
  id: number;
  space: string;
  page: string;
  rank: number;
}

function rank(
  queries: Queries,
  { organization, spaces, condition, query }: SearchRequest,
): RawBuilder<RankedSection> {
  const wanted = phrases(query).slice(0, MAX_QUERY_WORDS);
  if (wanted.length === 0 || spaces?.length === 0) {
    return sql`select 0 as "id", '' as "space", '' as "page", 0 as "rank" where 1 = 0`;
  }
  const inSpaces = sql`
    ${spaces ? sql`and "space" in (${sql.join(spaces)})` : sql``}
    ${condition ? sql`and ${condition('searchSections.space')}` : sql``}`;
  if (engineOf(queries) === 'postgres') {
    return sql`
      select "id", "space", "page", ts_rank('{0.15, 0.2, 0.5, 1}', "words", ${tsquery(wanted)}::tsquery, 1) as "rank"
      from (
        select "id", "space", "page", "words" from "searchSections"
        where "organization" = ${organization} ${inSpaces} and "words" @@ ${tsquery(wanted)}::tsquery
        limit ${MAX_RANKED_SECTIONS}
      ) as "matching"
      order by "rank" desc, "id" limit ${SEARCH_LIMIT}`;
  }
  return sql`
    select "id", "space", "page", "rank" from (
      select "id", "space", "searchSections"."page" as "page", -bm25("searchWords", 6, 3, 1) as "rank"
      from "searchWords" join "searchSections" on "searchSections"."id" = "searchWords"."rowid"
      where "searchWords" match ${match(wanted)} and "organization" = ${organization} ${inSpaces}
      order by "searchWords"."rowid" desc limit ${MAX_RANKED_SECTIONS}
    ) as "matching"
    order by "rank" desc, "id" limit ${SEARCH_LIMIT}`;
}

/** FTS5's query for phrases of plain words. In its string quotes nothing has a meaning but the quote itself. */
function match(wanted: string[][]): string {
  return `${wanted.map((phrase) => `"${phrase.join(' ')}"`).join(' AND ')} *`;
}

/** PostgreSQL's, in the form that its `tsquery` type reads without a dictionary. */
function tsquery(wanted: string[][]): string {
  const quoted = wanted.map((phrase) => phrase.map((word) => `'${word}'`).join(' <-> '));
  return `${quoted.join(' & ')}:*`;
}

/** The words of a section with their places and weights, in the form that PostgreSQL's `tsvector` type reads. */
function vector({ title, pageTitle, body }: { title: string; pageTitle: string; body: string }): string {
  let place = 0;
  const entries: string[] = [];
  for (const [text, weight] of [
    [title, 'A'],
    [pageTitle, 'B'],
    [body, ''],
  ] as const) {
    for (const word of indexed(text)) entries.push(`'${word}':${++place}${weight}`);
    // A gap, so that no phrase reaches from one text into the next.
    place++;
  }
  return entries.join(' ');
}

function indexed(text: string): string[] {
  return phrases(text).flat().slice(0, MAX_INDEXED_SECTION_WORDS);
}

type SectionRow = Omit<SearchHit, 'rank'> & { organization: string; ordinal: number };

async function insertWithWords(trx: Transaction, rows: SectionRow[]): Promise<void> {
  const inserted = await trx
    .insertInto('searchSections')
    .values(rows)
    .returning(['id', 'title', 'pageTitle', 'body'])
    .execute();
  const words = inserted.map(({ id, title, pageTitle, body }) => {
    const [titleWords, pageWords, bodyWords] = [title, pageTitle, body].map((text) =>
      indexed(text).join(' '),
    );
    return sql`(${id}, ${titleWords}, ${pageWords}, ${bodyWords})`;
  });
  await sql`insert into "searchWords" ("rowid", "title", "page", "body") values ${sql.join(words)}`.execute(
    trx,
  );
}

/** Deletes the sections of `pages`, or of the whole space. */
async function forget(
  trx: Transaction,
  organization: string,
  space: string,
  pages: readonly string[] | undefined,
): Promise<void> {
  let gone = trx
    .deleteFrom('searchSections')
    .where('organization', '=', organization)
    .where('space', '=', space);
  if (pages) gone = gone.where('page', 'in', pages);
  const rows = await gone.returning('id').execute();
  if (engineOf(trx) === 'postgres') return;
  const ids = JSON.stringify(rows.map(({ id }) => id));
  await sql`delete from "searchWords" where "rowid" in (select "value" from json_each(${ids}))`.execute(trx);
}

async function readSections(queries: Queries, ids: number[]): Promise<Map<number, Omit<SearchHit, 'rank'>>> {
  if (ids.length === 0) return new Map();
  const rows = await queries
    .selectFrom('searchSections')
    .select(['id', 'space', 'page', 'section', 'title', 'pageTitle', 'pagePath', 'anchor', 'body'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH);
}
