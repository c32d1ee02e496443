import { sql } from 'kysely';
import type { Queries } from '../database.ts';
import { isIn, isShown, type MatchedSection } from './matches.ts';
import { titleKey } from './rows.ts';
import { type SearchLanguage, stemsOf } from './stems.ts';
import type { SearchQuery } from './terms.ts';
import { ASCII, MIN_COMPARED_CHARACTERS, TitleWords } from './title-words.ts';
import type { SearchedContent } from './types.ts';
import { compoundsOf, foldAccents, plainWords } from './words.ts';

/** Maximum number of additional pages found by title prefix. */
export const MAX_TITLED_PAGES = 200;
/** Maximum number of additional sections per page found by title prefix. */
export const MAX_TITLED_SECTIONS = 20;

/**
 * Ranks of titles. Those of a page take precedence over those of a heading, except if its title only has the words of
 * the query: a heading that is or starts with the query is as good.
 */
const TITLE_RANKS = {
  equal: 6,
  equalForms: 5,
  prefix: 4,
  prefixForms: 3,
  part: 2,
  partForms: 1,
  none: 0,
  /** Of the title of a page with all words of the query in another order or with others in between. */
  pageWords: 3,
  pageFactor: 16,
};

/**
 * Adds sections of the pages whose title is or starts with the query, since the limited matches of a search may lack
 * them.
 */
export async function addTitled(
  queries: Queries,
  { organization, spaces, visibleSpace, conditions, query }: SearchedContent,
  matches: readonly MatchedSection[],
): Promise<MatchedSection[]> {
  const key = titleKey(query);
  const { rows } = await sql<MatchedSection>`
    select "id", "space", "page", "title", "pageTitle", 0 as "rank" from (
      select "searchSections".* from (
        select "space", "page" from "searchPages"
        where "organization" = ${organization} and "titleWords" >= ${key} and "titleWords" < ${`${key}\u{10ffff}`}
          ${spaces ? sql`and ${isIn(spaces)}` : sql``}
        order by "titleWords" limit ${MAX_TITLED_PAGES}
      ) as "titled"
      inner join "searchSections" on "searchSections"."organization" = ${organization}
        and "searchSections"."space" = "titled"."space" and "searchSections"."page" = "titled"."page"
        and "searchSections"."ordinal" < ${MAX_TITLED_SECTIONS}
        ${conditions ? sql`and ${isShown(conditions)}` : sql``}
    ) as "searchSections"
    ${visibleSpace ? sql`where exists ${visibleSpace}` : sql``}`.execute(queries);
  const matching = new Set(matches.map(({ id }) => id));
  return [...matches, ...rows.filter(({ id }) => !matching.has(id))];
}

/** A query, and its text as written. */
export interface TitledQuery extends SearchQuery {
  text: string;
}

/**
 * Orders matches by the title of their page and their heading: equal to the query, starting with it, containing it
 * (each as written before other forms), then pages whose title contains all words of the query; then by rank. Returns
 * matches with ranks in this order.
 */
export function orderByTitle(
  matches: readonly MatchedSection[],
  query: TitledQuery,
  languages: readonly SearchLanguage[],
): MatchedSection[] {
  const rankOf = titleRanker(query.text, languages);
  const words = new TitleWords(languages);
  const rankOfPage = (title: string) => {
    const rank = rankOf(title) * TITLE_RANKS.pageFactor;
    return rank === 0 && words.hasAll(title, query) ? TITLE_RANKS.pageWords : rank;
  };
  const pages = new Map<string, number>();
  const ordered = matches.map((match) => {
    const page = pages.get(match.pageTitle) ?? rankOfPage(match.pageTitle);
    pages.set(match.pageTitle, page);
    return { match, title: page + rankOf(match.title) };
  });
  return ordered
    .sort((a, b) => b.title - a.title || b.match.rank - a.match.rank || a.match.id - b.match.id)
    .map(({ match, title }) => ({ ...match, rank: title + fractionOf(match.rank) }));
}

/** Converts a rank to a number below 1, in the same order: the ranks of titles are integers. */
const fractionOf = (rank: number): number => (rank > 0 ? rank / (1 + rank) : 0);

/** Matches the number of a chapter or step before a title, such as in `2.1 Limits`, which queries omit. */
const NUMBERING = /^\d{1,3}(?:\.\d{1,3}){0,4}[.)]?\s+/;

/** Returns a function that compares titles with a query. */
function titleRanker(query: string, languages: readonly SearchLanguage[]): (title: string) => number {
  const key = plainWords(query);
  const start = key.slice(0, MIN_COMPARED_CHARACTERS);
  const forms = languages.map((language) => [language, stemmedWords(query, language)] as const);
  const isNumbered = /^\d/.test(key);
  return (written) => {
    const title = isNumbered ? written : written.replace(NUMBERING, '');
    // Most titles do not contain the first characters, which for ASCII is found without splitting them into words.
    const isOther = ASCII.test(title) && !title.toLowerCase().includes(start);
    if (title === '' || key === '' || isOther) {
      return TITLE_RANKS.none;
    }
    const words = plainWords(title);
    if (words === key) {
      return TITLE_RANKS.equal;
    }
    const stems = forms.map(([language, stemmed]) => [stemmedWords(title, language), stemmed] as const);
    if (stems.some(([ofTitle, ofQuery]) => ofTitle === ofQuery)) {
      return TITLE_RANKS.equalForms;
    }
    if (words.startsWith(key)) {
      return TITLE_RANKS.prefix;
    }
    if (stems.some(([ofTitle, ofQuery]) => ofTitle.startsWith(`${ofQuery} `))) {
      return TITLE_RANKS.prefixForms;
    }
    if (words.includes(` ${key}`)) {
      return TITLE_RANKS.part;
    }
    return stems.some(([ofTitle, ofQuery]) => `${ofTitle} `.includes(` ${ofQuery} `))
      ? TITLE_RANKS.partForms
      : TITLE_RANKS.none;
  };
}

/** Returns the words of a text, separated by spaces, each replaced by its stem if it has one. */
const stemmedWords = (text: string, language: SearchLanguage): string =>
  compoundsOf(text)
    .flatMap(({ words, symbolic }) => [
      ...words.map(({ word, accented }) => stemsOf(accented, language, foldAccents)[0] ?? word),
      ...(symbolic === undefined ? [] : [symbolic]),
    ])
    .join(' ');
