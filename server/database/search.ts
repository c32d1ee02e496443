import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { batches } from './batches.ts';
import type { Queries, Transaction } from './database.ts';
import { engineOf } from './engine.ts';
import { notIndexed } from './lookups.ts';
import { phrases } from './words.ts';

/*
 * Full-text search over the sections of pages: FTS5 on the embedded engine, tsvector on PostgreSQL. Both index the
 * words split by words.ts and return the same results.
 */

/** Maximum number of sections in the result of a search. Of more matches, as many are ranked, and no others. */
export const SEARCH_LIMIT = 1000;
/** Maximum number of sections of spaces for which their row IDs are compared. */
export const MAX_COMPARED_SECTIONS = 20_000;

/** Maximum number of spaces per statement. */
const BATCH = 400;
/** Maximum number of words of a query. Further words are ignored. */
export const MAX_QUERY_WORDS = 32;

/** The part of a page under a heading. */
export interface Section {
  /** Unique in the page. */
  section: string;
  title: string;
  /** URL fragment of the section; empty for the start of the page. */
  anchor: string;
  /** Plain text. */
  body: string;
}

/** A page with all its sections, in order. */
export interface SearchPage {
  page: string;
  title: string;
  path: string;
  sections: readonly Section[];
}

/** A matching section. `rank` is comparable within one result: higher is better. */
export interface SearchHit extends Section {
  space: string;
  page: string;
  pageTitle: string;
  pagePath: string;
  rank: number;
}

export interface SearchRequest {
  organization: string;
  /** IDs of the spaces to search, or a subquery that selects a few; all spaces of the organization by default. */
  spaces?: readonly string[] | Expression<unknown> | undefined;
  /** Selects the space of a match if it is visible, as an alternative to `spaces`. Evaluated for each match. */
  visibleSpace?: ((space: string) => Expression<unknown>) | undefined;
  /** The search text. Sections must contain every word; the last one may be a prefix. */
  query: string;
  /** Whether an item is a page or a space. */
  groupBy: 'page' | 'space';
  /** Number of items to skip. */
  offset: number;
  limit: number;
}

/** Returns the versions of the indexed pages whose IDs start with a prefix; null for incomplete pages. */
export async function findPages(
  queries: Queries,
  { organization, space, prefix }: { organization: string; space: string; prefix: string },
): Promise<Map<string, string | null>> {
  // IDs are compared by code point, so that those with the prefix are contiguous.
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

/** Moves the index of spaces to another organization. */
export async function moveSpaces(
  trx: Transaction,
  { spaces, from, to }: { spaces: readonly string[]; from: string; to: string },
): Promise<void> {
  for (const batch of batches(spaces, BATCH)) {
    for (const table of ['searchSections', 'searchPages'] as const) {
      await trx
        .updateTable(table)
        .set({ organization: to })
        .where('organization', '=', from)
        .where('space', 'in', batch)
        .execute();
    }
  }
}

/**
 * Searches sections. Items and their sections are ordered by rank. `count` is the total number of items in the first
 * {@link SEARCH_LIMIT} sections. The query has no operators.
 */
export async function searchSections(
  queries: Queries,
  request: SearchRequest,
): Promise<{ count: number; groups: SearchHit[][] }> {
  const ranked = await rank(queries, request);
  const groups = [...Map.groupBy(ranked, (hit) => hit[request.groupBy]).values()];
  const pageOfGroups = groups.slice(request.offset, request.offset + request.limit);
  const texts = await readSections(
    queries,
    pageOfGroups.flat().map(({ id }) => id),
  );
  return {
    count: groups.length,
    groups: pageOfGroups.map((group) =>
      group.flatMap(({ id, rank }) => {
        // Omitted if it was deleted since the search.
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

async function rank(queries: Queries, request: SearchRequest): Promise<RankedSection[]> {
  const terms = phrases(request.query).slice(0, MAX_QUERY_WORDS);
  if (terms.length === 0 || (Array.isArray(request.spaces) && request.spaces.length === 0)) {
    return [];
  }
  return engineOf(queries) === 'postgres'
    ? await rankByVector(queries, request, terms)
    : await rankByWordIndex(queries, request, terms);
}

async function rankByVector(
  queries: Queries,
  { organization, spaces, visibleSpace }: SearchRequest,
  terms: string[][],
): Promise<RankedSection[]> {
  const query = sql`${tsquery(terms)}::tsquery`;
  const columns = sql`"id", "space", "page", "words"`;
  const matching = sql`
    select ${columns} from "searchSections"
    where "organization" = ${organization} and "words" @@ ${query} ${spaces ? sql`and ${isIn(spaces)}` : sql``}`;
  // Each `offset 0` prevents PostgreSQL from flattening a subquery. Its estimate for prefixes is far too high for most
  // words, so that it would read all sections instead of the index of words to find the first visible matches.
  const visible =
    visibleSpace &&
    sql`
      select ${columns} from (${matching} offset 0) as "searchSections"
      cross join lateral (
        select 1 from ${visibleSpace('searchSections.space')} as "visible" offset 0
      ) as "visible"`;
  const { rows } = await sql<RankedSection>`
    select "id", "space", "page", ts_rank('{0.15, 0.2, 0.5, 1}', "words", ${query}, 1) as "rank"
    from (${visible ?? matching} limit ${SEARCH_LIMIT}) as "matching"
    order by "rank" desc, "id"`.execute(queries);
  return rows;
}

async function rankByWordIndex(
  queries: Queries,
  { organization, spaces, visibleSpace }: SearchRequest,
  terms: string[][],
): Promise<RankedSection[]> {
  const sections = spaces && sql`"searchSections" where "organization" = ${organization} and ${isIn(spaces)}`;
  const range = sections && (await rangeOf(queries, sections));
  // The unary plus prevents SQLite from looking up the words of each of these sections.
  const idCondition =
    range && range.count <= MAX_COMPARED_SECTIONS
      ? sql`and "searchWords"."rowid" between ${range.first} and ${range.last}
          and +"searchWords"."rowid" in (select "id" from ${sections})`
      : sql``;
  // Reads the word index once and looks up the matching sections by ID. With a plain join, the query planner might read
  // the index for each section of a space, or all sections of a space for each match.
  const matching = async (query: string) => {
    const { rows } = await sql<RankedSection>`
      select "id", "space", "page", "rank" from (
        select "id", "space", "searchSections"."page" as "page", -bm25("searchWords", 6, 3, 1) as "rank"
        from "searchWords" cross join "searchSections" on "searchSections"."id" = "searchWords"."rowid"
        where "searchWords" match ${query} ${idCondition}
          and ${notIndexed('organization')} = ${organization}
          ${spaces ? sql`and ${isIn(spaces)}` : sql``}
          ${visibleSpace ? sql`and exists ${visibleSpace('searchSections.space')}` : sql``}
        order by "searchWords"."rowid" desc limit ${SEARCH_LIMIT}
      ) as "matching"
      order by "rank" desc, "id"`.execute(queries);
    return rows;
  };
  // SQLite merges all words with a prefix before it returns the first match: first the word itself, if that may be
  // enough.
  if (!range || range.count >= SEARCH_LIMIT) {
    const exact = await matching(match(terms));
    if (exact.length === SEARCH_LIMIT) {
      return exact;
    }
  }
  return await matching(`${match(terms)} *`);
}

/** Condition that a section belongs to one of the spaces. */
const isIn = (spaces: NonNullable<SearchRequest['spaces']>): RawBuilder<SqlBool> =>
  'expressionType' in spaces ? sql`"space" in ${spaces}` : sql`"space" in (${sql.join(spaces)})`;

interface SectionRange {
  /** Number of sections, or one more than {@link MAX_COMPARED_SECTIONS}. */
  count: number;
  first: number | null;
  last: number | null;
}

/** Counts the sections of spaces, up to one more than are compared, and returns their first and last ID. */
async function rangeOf(queries: Queries, sections: RawBuilder<unknown>): Promise<SectionRange | undefined> {
  const { rows } = await sql<SectionRange>`
    select count(*) as "count", min("id") as "first", max("id") as "last"
    from (select "id" from ${sections} limit ${MAX_COMPARED_SECTIONS + 1})`.execute(queries);
  return rows[0];
}

/** Creates an FTS5 query, which may be followed by `*`. Within its string quotes, only the quote itself is special. */
function match(terms: string[][]): string {
  return terms.map((phrase) => `"${phrase.join(' ')}"`).join(' AND ');
}

/** Creates a query for the `tsquery` type of PostgreSQL, which is parsed without a dictionary. */
function tsquery(terms: string[][]): string {
  const quoted = terms.map((phrase) => phrase.map((word) => `'${word}'`).join(' <-> '));
  return `${quoted.join(' & ')}:*`;
}

async function readSections(queries: Queries, ids: number[]): Promise<Map<number, Omit<SearchHit, 'rank'>>> {
  if (ids.length === 0) {
    return new Map();
  }
  const rows = await queries
    .selectFrom('searchSections')
    .select(['id', 'space', 'page', 'section', 'title', 'pageTitle', 'pagePath', 'anchor', 'body'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}
