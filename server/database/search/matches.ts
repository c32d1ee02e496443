import { isExpression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../database.ts';
import { engineOf } from '../engine.ts';
import { notIndexed } from '../lookups.ts';
import type { Phrase, SearchQuery, SearchTerm } from './terms.ts';
import type { SearchedContent } from './types.ts';

/*
 * Finds the sections that match a query: FTS5 on the embedded engine, tsvector on PostgreSQL.
 */

/** Maximum number of sections in the result of a search. Of more matches, as many are ranked, and no others. */
export const SEARCH_LIMIT = 1000;
/** Maximum number of sections in spaces for comparing row IDs. */
export const MAX_COMPARED_SECTIONS = 20_000;

/** The sections to search. */
export type SearchedSections = Pick<
  SearchedContent,
  'organization' | 'spaces' | 'visibleSpace' | 'conditions'
>;

/** A matching section. A section with more matches, in better places, has a higher rank. */
export interface MatchedSection {
  id: number;
  space: string;
  page: string;
  title: string;
  pageTitle: string;
  rank: number;
}

/** Finds sections that match each term of a query, up to {@link SEARCH_LIMIT}, in no particular order. */
export async function matchSections(
  queries: Queries,
  sections: SearchedSections,
  query: SearchQuery,
): Promise<MatchedSection[]> {
  return engineOf(queries) === 'postgres'
    ? await matchByVector(queries, sections, query)
    : await matchByWordIndex(queries, sections, query);
}

/** Finds sections that match a query, without a rank. */
export async function findSections(
  queries: Queries,
  searched: SearchedSections,
  query: SearchQuery,
  limit: number,
): Promise<MatchedSection[]> {
  const matching =
    engineOf(queries) === 'postgres'
      ? visibleVectors(searched, sql`${tsquery(query)}::tsquery`)
      : matchingRows(
          SECTION_COLUMNS,
          searched,
          wordQuery(query, query.hasPrefix),
          idConditionIn(searched, await rangeOf(queries, searched)),
        );
  const { rows } = await sql<MatchedSection>`
    select "id", "space", "page", "title", "pageTitle", 0 as "rank" from (${matching} limit ${limit}) as "matching"`.execute(
    queries,
  );
  return rows;
}

async function matchByVector(
  queries: Queries,
  sections: SearchedSections,
  query: SearchQuery,
): Promise<MatchedSection[]> {
  const vector = sql`${tsquery(query)}::tsquery`;
  // Words as written in addition, so that they have a higher rank than other forms and words with the prefix.
  const exact = sql`${tsquery({ terms: exactTerms(query.terms), hasPrefix: false })}::tsquery`;
  const rank = (words: RawBuilder<unknown>) => sql`ts_rank('{0.15, 0.2, 0.5, 1}', "words", ${words}, 1)`;
  const { rows } = await sql<MatchedSection>`
    select "id", "space", "page", "title", "pageTitle", ${rank(vector)} + ${rank(exact)} as "rank"
    from (${visibleVectors(sections, vector)} limit ${SEARCH_LIMIT}) as "matching"`.execute(queries);
  return rows;
}

/** Selects the visible sections that match a query, on PostgreSQL. */
export function visibleVectors(
  { organization, spaces, visibleSpace, conditions }: SearchedSections,
  query: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const columns = sql`"id", "space", "page", "title", "pageTitle", "words"`;
  const matching = sql`
    select ${columns} from "searchSections"
    where "organization" = ${organization} and "words" @@ ${query} ${spaces ? sql`and ${isIn(spaces)}` : sql``}
      ${conditions ? sql`and ${isShown(conditions)}` : sql``}`;
  if (!visibleSpace) {
    return matching;
  }
  // Each `offset 0` prevents PostgreSQL from flattening a subquery. Its estimate for prefixes is far too high for most
  // words, so that it would read all sections instead of the index of words to find the first visible matches.
  return sql`
    select ${columns} from (${matching} offset 0) as "searchSections"
    cross join lateral (
      select 1 from ${visibleSpace} as "visible" offset 0
    ) as "visible"`;
}

async function matchByWordIndex(
  queries: Queries,
  sections: SearchedSections,
  query: SearchQuery,
): Promise<MatchedSection[]> {
  const range = await rangeOf(queries, sections);
  const idCondition = idConditionIn(sections, range);
  const matching = async (words: string) => {
    const { rows } = await sql<MatchedSection>`
      ${matchingRows(RANKED_COLUMNS, sections, words, idCondition)}
      order by "searchWords"."rowid" desc limit ${SEARCH_LIMIT}`.execute(queries);
    return rows;
  };
  // SQLite merges all words with a prefix before it returns the first match: first the words themselves, if that may
  // be enough.
  if (!range || range.count >= SEARCH_LIMIT) {
    const exact = await matching(wordQuery({ terms: exactTerms(query.terms), hasPrefix: false }, false));
    if (exact.length === SEARCH_LIMIT) {
      return exact;
    }
  }
  return await matching(wordQuery(query, query.hasPrefix));
}

const SECTION_COLUMNS = sql`
  "id", "space", "searchSections"."page" as "page", "searchSections"."title" as "title", "pageTitle"`;
const RANKED_COLUMNS = sql`${SECTION_COLUMNS}, -bm25("searchWords", 6, 3, 1) as "rank"`;

/**
 * Selects the visible sections that match a query, on SQLite. Reads the word index once and looks up the matching
 * sections by ID. With a plain join, the query planner might read the index for each section of a space, or all
 * sections of a space for each match.
 */
const matchingRows = (
  columns: RawBuilder<unknown>,
  { organization, spaces, visibleSpace, conditions }: SearchedSections,
  words: string,
  idCondition: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  select ${columns} from "searchWords" cross join "searchSections" on "searchSections"."id" = "searchWords"."rowid"
  where "searchWords" match ${words} ${idCondition}
    and ${notIndexed('organization')} = ${organization}
    ${spaces ? sql`and ${isIn(spaces)}` : sql``}
    ${conditions ? sql`and ${isShown(conditions)}` : sql``}
    ${visibleSpace ? sql`and exists ${visibleSpace}` : sql``}`;

/** Creates a condition on the IDs of the sections of a few spaces. */
function idConditionIn(sections: SearchedSections, range: SectionRange | undefined): RawBuilder<unknown> {
  // The unary plus prevents SQLite from looking up the words of each of these sections.
  return range && range.count <= MAX_COMPARED_SECTIONS
    ? sql`and "searchWords"."rowid" between ${range.first} and ${range.last}
        and +"searchWords"."rowid" in (select "id" from ${sectionsIn(sections)})`
    : sql``;
}

/** Condition that a section belongs to one of the spaces. */
export const isIn = (spaces: NonNullable<SearchedContent['spaces']>): RawBuilder<SqlBool> =>
  isExpression(spaces) ? sql`"space" in ${spaces}` : sql`"space" in (${sql.join(spaces)})`;

/** Condition that a section has no condition, or one of some. */
export const isShown = (conditions: readonly string[]): RawBuilder<SqlBool> =>
  conditions.length === 0
    ? sql`"condition" is null`
    : sql`("condition" is null or "condition" in (${sql.join(conditions)}))`;

const sectionsIn = ({ organization, spaces }: SearchedSections): RawBuilder<unknown> =>
  sql`"searchSections" where "organization" = ${organization} ${spaces ? sql`and ${isIn(spaces)}` : sql``}`;

interface SectionRange {
  /** Number of sections, or one more than {@link MAX_COMPARED_SECTIONS}. */
  count: number;
  first: number | null;
  last: number | null;
}

/** Counts the sections of spaces, up to one more than are compared, and returns their first and last ID. */
async function rangeOf(queries: Queries, sections: SearchedSections): Promise<SectionRange | undefined> {
  if (!sections.spaces) {
    return undefined;
  }
  const { rows } = await sql<SectionRange>`
    select count(*) as "count", min("id") as "first", max("id") as "last"
    from (select "id" from ${sectionsIn(sections)} limit ${MAX_COMPARED_SECTIONS + 1})`.execute(queries);
  return rows[0];
}

/** Returns terms that match words as written, where there are any. */
const exactTerms = (terms: readonly SearchTerm[]): SearchTerm[] =>
  terms.map((term) => (term.phrases.length > 0 ? { ...term, forms: [] } : term));

/** Creates an FTS5 query. Words contain no quotes. */
function wordQuery(query: SearchQuery, hasPrefix: boolean): string {
  return formatTerms(
    { ...query, hasPrefix },
    { and: ' AND ', or: ' OR ', prefix: ' *', phrase: (words) => `"${words.join(' ')}"` },
  );
}

/** Creates a query for the `tsquery` type of PostgreSQL, which is parsed without a dictionary. */
function tsquery(query: SearchQuery): string {
  const phrase = (words: Phrase) => words.map((word) => `'${word}'`).join(' <-> ');
  return formatTerms(query, { and: ' & ', or: ' | ', prefix: ':*', phrase });
}

interface QuerySyntax {
  and: string;
  or: string;
  /** Follows a phrase that ends with a prefix. */
  prefix: string;
  phrase: (words: Phrase) => string;
}

function formatTerms({ terms, hasPrefix }: SearchQuery, syntax: QuerySyntax): string {
  const { and, or, prefix, phrase } = syntax;
  return terms
    .map(({ phrases, forms, pairs = [], isPrefix }, at) => {
      const hasPrefixes = isPrefix || (hasPrefix && at === terms.length - 1);
      const alternatives = [
        // Whole words in addition to prefixes, so that they have a higher rank.
        ...phrases.map(phrase).flatMap((words) => (hasPrefixes ? [words, `${words}${prefix}`] : [words])),
        ...forms.map((form) => phrase([form])),
        ...pairs.map((pair) => `(${formatTerms({ terms: pair, hasPrefix: false }, syntax)})`),
      ];
      return `(${alternatives.join(or)})`;
    })
    .join(and);
}
