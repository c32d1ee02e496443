import { sql } from 'kysely';
import type { Queries } from './database.ts';
import { engineOf } from './engine.ts';
import { hasMatch, type SearchedSections, tsquery, visibleVectors } from './search-matches.ts';
import { formsOf, type SearchQuery, type SearchTerm } from './search-terms.ts';
import { MARK_LENGTH, type SearchLanguage } from './stems.ts';
import { alphabetOf, areNeighbours, MIN_CORRECTED_CHARACTERS, neighboursOf } from './typos.ts';

/*
 * Corrects a query without matches. Only the sections that match the corrected query are returned, which are visible to
 * the caller; corrections that occur elsewhere have no effect.
 */

/** Maximum number of words of a query that are corrected. */
export const MAX_CORRECTED_WORDS = 3;
/** Maximum number of sections in which PostgreSQL looks for the spelling of a corrected word. */
export const MAX_SAMPLED_SECTIONS = 50;
/** Length of the prefixes of words that are compared in the vocabulary of SQLite. */
const [MIN_COMPARED_PREFIX, MAX_COMPARED_PREFIX] = [3, 5];

/**
 * Corrects the words of a query that match no section, in one letter each. Returns undefined if they are short, many,
 * or have no correction.
 */
export async function correctQuery(
  queries: Queries,
  sections: SearchedSections,
  { terms, hasPrefix }: SearchQuery,
  languages: readonly SearchLanguage[],
): Promise<SearchQuery | undefined> {
  const corrected = [...terms];
  let count = 0;
  for (const [at, term] of terms.entries()) {
    const isPrefix = hasPrefix && at === terms.length - 1;
    const isAlone = terms.length === 1;
    if (!isAlone && (await hasMatch(queries, sections, { terms: [term], hasPrefix: isPrefix }))) {
      continue;
    }
    const correction = await correctTerm(queries, sections, term, languages);
    count++;
    if (!correction || count > MAX_CORRECTED_WORDS) {
      return undefined;
    }
    corrected[at] = correction;
  }
  return count > 0 ? { terms: corrected, hasPrefix: false } : undefined;
}

async function correctTerm(
  queries: Queries,
  sections: SearchedSections,
  { word, forms }: SearchTerm,
  languages: readonly SearchLanguage[],
): Promise<SearchTerm | undefined> {
  if (!word || word.word.length < MIN_CORRECTED_CHARACTERS) {
    return undefined;
  }
  const spellings = await findNeighbours(queries, sections, word.word, '');
  if (spellings.length > 0) {
    return {
      phrases: spellings.map((spelling) => [spelling]),
      forms: [
        ...new Set(
          spellings.flatMap((spelling) => formsOf({ word: spelling, accented: spelling }, languages)),
        ),
      ],
    };
  }
  const stems: string[] = [];
  for (const form of forms) {
    const mark = form.slice(0, MARK_LENGTH);
    const stem = form.slice(MARK_LENGTH);
    if (stem.length >= MIN_CORRECTED_CHARACTERS) {
      stems.push(...(await findNeighbours(queries, sections, stem, mark)));
    }
  }
  return stems.length > 0 ? { phrases: [], forms: stems } : undefined;
}

/**
 * Returns the neighbours of a word that are indexed.
 *
 * @param mark precedes the words in the index
 */
async function findNeighbours(
  queries: Queries,
  sections: SearchedSections,
  word: string,
  mark: string,
): Promise<string[]> {
  const alphabet = alphabetOf(word);
  if (alphabet === undefined) {
    return [];
  }
  return engineOf(queries) === 'postgres'
    ? await findInSections(
        queries,
        sections,
        neighboursOf(word, alphabet).map((neighbour) => mark + neighbour),
      )
    : await findInVocabulary(queries, word, mark, alphabet);
}

async function findInSections(
  queries: Queries,
  sections: SearchedSections,
  words: readonly string[],
): Promise<string[]> {
  const query = tsquery({ terms: [{ phrases: words.map((word) => [word]), forms: [] }], hasPrefix: false });
  const { rows } = await sql<{ lexeme: string }>`
    select distinct "lexeme"
    from (${visibleVectors(sections, query)} limit ${MAX_SAMPLED_SECTIONS}) as "sample", unnest("sample"."words")
    where "lexeme" = any(${words}::text[])
    order by "lexeme"`.execute(queries);
  return rows.map(({ lexeme }) => lexeme);
}

/** Looks up words that differ early, and compares those with the same prefix, which are stored together. */
async function findInVocabulary(
  queries: Queries,
  word: string,
  mark: string,
  alphabet: string,
): Promise<string[]> {
  const length = Math.min(Math.max(Math.ceil(word.length / 2), MIN_COMPARED_PREFIX), MAX_COMPARED_PREFIX);
  const early = neighboursOf(word, alphabet, length).map((neighbour) => mark + neighbour);
  const prefix = mark + word.slice(0, length);
  const { rows } = await sql<{ term: string }>`
    select "term" from "searchVocabulary"
    where "term" in (select "value" from json_each(${JSON.stringify(early)}))
    union
    select "term" from "searchVocabulary"
    where "term" >= ${prefix} and "term" < ${`${prefix}\u{10ffff}`}
    order by "term"`.execute(queries);
  return rows.map(({ term }) => term).filter((term) => areNeighbours(term.slice(mark.length), word));
}
