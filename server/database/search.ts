import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { batches } from './batches.ts';
import type { Queries, Transaction } from './database.ts';
import { engineOf } from './engine.ts';
import { notIndexed } from './lookups.ts';
import { phrases } from './words.ts';

/*
 * Full-text search over the sections of pages, the one place where the engines differ: FTS5 on the embedded
 * engine, tsvector on PostgreSQL. Both get the words as words.ts cuts them, so both find the same.
 */

/** A ranked list ends here: no search answers more sections than this. */
export const SEARCH_LIMIT = 1000;
/** Of more sections with the words of a query, only so many are compared with each other. */
export const MAX_RANKED_SECTIONS = 2000;
/** Spaces with more sections are searched among all sections that have the words. */
const MAX_COMPARED_SECTIONS = 20_000;

/** Spaces that one statement names. */
const BATCH = 400;
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

/** The versions of the pages that search knows whose ids start with a text; null for incomplete ones. */
export async function findPages(
  queries: Queries,
  { organization, space, prefix }: { organization: string; space: string; prefix: string },
): Promise<Map<string, string | null>> {
  // Ids compare by code point: those that start with the text are neighbours.
  const rows = await queries
    .selectFrom('searchPages')
    .select(['page', 'version'])
    .where('organization', '=', organization)
    .where('space', '=', space)
    .where('page', '>=', prefix)
    .where('page', '<', `${prefix}\u{10FFFF}`)
    .execute();
  return new Map(rows.map(({ page, version }) => [page, version]));
}

/** Hands what search knows of some spaces to another organization. */
export async function moveSpaces(
  trx: Transaction,
  { spaces, from, to }: { spaces: readonly string[]; from: string; to: string },
): Promise<void> {
  for (const batch of batches(spaces, BATCH))
    for (const table of ['searchSections', 'searchPages'] as const)
      await trx
        .updateTable(table)
        .set({ organization: to })
        .where('organization', '=', from)
        .where('space', 'in', batch)
        .execute();
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
  // The index of words is read once, and the sections with the words are looked up by their ids: an engine with
  // statistics might read the index for each section of a space, or all sections of a space for each with the words.
  return sql`
    select "id", "space", "page", "rank" from (
      select "id", "space", "searchSections"."page" as "page", -bm25("searchWords", 6, 3, 1) as "rank"
      from "searchWords" cross join "searchSections" on "searchSections"."id" = "searchWords"."rowid"
      where "searchWords" match ${match(wanted)} ${spaces ? sql`and ${isInFew(organization, spaces)}` : sql``}
        and ${notIndexed('organization')} = ${organization} ${inSpaces}
      order by "searchWords"."rowid" desc limit ${MAX_RANKED_SECTIONS}
    ) as "matching"
    order by "rank" desc, "id" limit ${SEARCH_LIMIT}`;
}

/**
 * The condition that a row of the index of words is a section of some spaces, where these have few sections: their ids
 * are then compared with, instead of looking up each section of the organization that has the words.
 */
function isInFew(organization: string, spaces: readonly string[]): RawBuilder<SqlBool> {
  const sections = sql`"searchSections" where "organization" = ${organization} and "space" in (${sql.join(spaces)})`;
  return sql`case
    when (select count(*) from (select 1 from ${sections} limit ${MAX_COMPARED_SECTIONS + 1})) > ${MAX_COMPARED_SECTIONS}
    then 1
    else "searchWords"."rowid" in (select "id" from ${sections}) end`;
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

async function readSections(queries: Queries, ids: number[]): Promise<Map<number, Omit<SearchHit, 'rank'>>> {
  if (ids.length === 0) return new Map();
  const rows = await queries
    .selectFrom('searchSections')
    .select(['id', 'space', 'page', 'section', 'title', 'pageTitle', 'pagePath', 'anchor', 'body'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}
