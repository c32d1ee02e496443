import { sql } from 'kysely';
import type { Queries } from '../database.ts';
import { engineOf } from '../engine.ts';
import { isIn, type SearchedSections, visibleVectors } from './matches.ts';
import { MARK_LENGTH, type SearchLanguage } from './stems.ts';
import { formsOf, type SearchTerm } from './terms.ts';
import { alphabetOf, areNeighbors, MIN_CORRECTED_CHARACTERS, neighborsOf } from './typos.ts';

/*
 * Corrects words without matches. Only the sections that match the corrected query are returned, which are visible to
 * the caller; corrections that occur elsewhere have no effect.
 */

/** Maximum number of forms of a word that are corrected, if the word itself has no correction. */
export const MAX_CORRECTED_FORMS = 2;
/** Length of the prefixes of words that are compared in the vocabulary of SQLite. */
const [MIN_COMPARED_PREFIX, MAX_COMPARED_PREFIX] = [3, 5];

/** Returns whether a term is a word that is long enough to be corrected. */
export const isCorrectable = ({ word }: SearchTerm): boolean =>
  word !== undefined && word.word.length >= MIN_CORRECTED_CHARACTERS;

/** Corrects a word in one letter. Returns undefined if it has no correction. */
export async function correctTerm(
  queries: Queries,
  sections: SearchedSections,
  { word, forms }: SearchTerm,
  languages: readonly SearchLanguage[],
): Promise<SearchTerm | undefined> {
  if (!word) {
    return undefined;
  }
  const spellings = await findNeighbors(queries, sections, word.word, '');
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
  for (const form of forms.slice(0, MAX_CORRECTED_FORMS)) {
    const mark = form.slice(0, MARK_LENGTH);
    const stem = form.slice(MARK_LENGTH);
    if (stem.length >= MIN_CORRECTED_CHARACTERS) {
      stems.push(...(await findNeighbors(queries, sections, stem, mark)));
    }
  }
  return stems.length > 0 ? { phrases: [], forms: stems } : undefined;
}

/**
 * Returns the neighbors of a word that are indexed.
 *
 * @param mark precedes the words in the index
 */
async function findNeighbors(
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
        neighborsOf(word, alphabet).map((neighbor) => mark + neighbor),
      )
    : await findInVocabulary(queries, word, mark, alphabet);
}

/**
 * Looks up each word in the index of words, and then the spaces of its sections: PostgreSQL would otherwise compare all
 * words with each section of these spaces.
 */
async function findInSections(
  queries: Queries,
  { organization, visibleSpace, spaces }: SearchedSections,
  words: readonly string[],
): Promise<string[]> {
  const matching = visibleVectors({ organization, visibleSpace }, sql`('''' || "word" || '''')::tsquery`);
  const { rows } = await sql<{ word: string }>`
    select "word" from unnest(${words}::text[]) as "neighbors"("word")
    where exists (
      with "matching" as materialized (${matching})
      select 1 from "matching" ${spaces ? sql`where ${isIn(spaces)}` : sql``}
    )
    order by "word"`.execute(queries);
  return rows.map(({ word }) => word);
}

/** Looks up words that differ early, and compares those with the same prefix, which are stored together. */
async function findInVocabulary(
  queries: Queries,
  word: string,
  mark: string,
  alphabet: string,
): Promise<string[]> {
  const length = Math.min(Math.max(Math.ceil(word.length / 2), MIN_COMPARED_PREFIX), MAX_COMPARED_PREFIX);
  const early = neighborsOf(word, alphabet, length).map((neighbor) => mark + neighbor);
  const prefix = mark + word.slice(0, length);
  const { rows } = await sql<{ term: string }>`
    select "term" from "searchVocabulary"
    where "term" in (select "value" from json_each(${JSON.stringify(early)}))
    union
    select "term" from "searchVocabulary"
    where "term" >= ${prefix} and "term" < ${`${prefix}\u{10ffff}`}
    order by "term"`.execute(queries);
  return rows.map(({ term }) => term).filter((term) => areNeighbors(term.slice(mark.length), word));
}
