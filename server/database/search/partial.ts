import type { Queries } from '../database.ts';
import { correctTerm, isCorrectable } from './corrections.ts';
import { findSections, type MatchedSection, matchSections, type SearchedSections } from './matches.ts';
import type { SearchLanguage } from './stems.ts';
import { type SearchQuery, type SearchTerm, separateWords, splitWord } from './terms.ts';
import { TitleWords } from './title-words.ts';
import { orderByTitle } from './titles.ts';

/*
 * Finds sections for queries when no section contains all words.
 */

/** Maximum number of words of a query that are corrected. */
export const MAX_CORRECTED_WORDS = 2;

/** Maximum number of words in a query with partial matches. Further words are ignored. */
export const MAX_PARTIAL_WORDS = 8;
/** Maximum number of query words per word that a page must contain. */
export const MAX_WORDS_PER_MATCHED_WORD = 3;
/** Maximum number of sections with each of these words, and maximum number of sections in the result. */
export const MAX_PARTIAL_SECTIONS = 300;
/** A term and the sections that match it. */
interface TermMatches {
  term: SearchTerm;
  isPrefix: boolean;
  sections: readonly MatchedSection[];
}

/**
 * Finds and ranks the sections with all words of a query after the correction of those that occur nowhere, or else the
 * sections of the pages with at least a third of the words.
 */
export async function rankPartly(
  queries: Queries,
  searched: SearchedSections,
  query: SearchQuery,
  languages: readonly SearchLanguage[],
): Promise<MatchedSection[]> {
  const { terms, hasPrefix } = separateWords(query);
  const matchesOfTerms: TermMatches[] = [];
  const matchTerm = async (term: SearchTerm, isPrefix: boolean): Promise<TermMatches> => {
    const sections = await findSections(
      queries,
      searched,
      { terms: [term], hasPrefix: isPrefix },
      MAX_PARTIAL_SECTIONS,
    );
    return { term, isPrefix, sections };
  };
  let corrections = 0;
  const correct = async (matches: TermMatches): Promise<TermMatches> => {
    const { term, sections } = matches;
    if (sections.length > 0 || corrections === MAX_CORRECTED_WORDS || !isCorrectable(term)) {
      return matches;
    }
    const correction =
      (await correctTerm(queries, searched, term, languages)) ??
      (term.word && splitWord(term.word, languages));
    if (!correction) {
      return matches;
    }
    corrections++;
    return await matchTerm(correction, false);
  };
  for (const [at, term] of terms.slice(0, MAX_PARTIAL_WORDS).entries()) {
    const matches = await correct(await matchTerm(term, hasPrefix && at === terms.length - 1));
    const parts = matches.sections.length === 0 ? (term.parts ?? []) : [];
    if (parts.length === 0) {
      matchesOfTerms.push(matches);
    }
    for (const part of parts.slice(0, MAX_PARTIAL_WORDS - matchesOfTerms.length)) {
      matchesOfTerms.push(await correct(await matchTerm(part, false)));
    }
  }
  if (
    corrections > 0 &&
    matchesOfTerms.length >= terms.length &&
    matchesOfTerms.every(({ sections }) => sections.length > 0)
  ) {
    const corrected = {
      terms: matchesOfTerms.map(({ term }) => term),
      hasPrefix: matchesOfTerms.at(-1)?.isPrefix ?? false,
    };
    const matches = await matchSections(queries, searched, corrected);
    if (matches.length > 0) {
      const text = corrected.terms.map(({ phrases: [phrase = []] }) => phrase.join(' ')).join(' ');
      return orderByTitle(matches, { ...corrected, text }, languages);
    }
  }
  return rankPages(matchesOfTerms, languages);
}

/** Ranks the sections of pages: by the terms of the page, the rarer the better, and of the section. */
function rankPages(
  matchesOfTerms: readonly TermMatches[],
  languages: readonly SearchLanguage[],
): MatchedSection[] {
  const titles = new TitleWords(languages);
  const sections = new Map<number, { section: MatchedSection; weight: number }>();
  const pages = new Map<string, Map<SearchTerm, number>>();
  for (const { term, sections: matching } of matchesOfTerms) {
    const rarity = 1 / Math.log(Math.E + matching.length);
    for (const section of matching) {
      const weight = rarity * titles.placeOf(section, term);
      const weightOfOthers = sections.get(section.id)?.weight ?? 0;
      sections.set(section.id, { section, weight: weight + weightOfOthers });
      const key = pageKey(section);
      const page = pages.get(key) ?? new Map<SearchTerm, number>();
      page.set(term, Math.max(weight, page.get(term) ?? 0));
      pages.set(key, page);
    }
  }
  return [...sections.values()]
    .flatMap(({ section, weight }) => {
      const terms = pages.get(pageKey(section)) ?? new Map<SearchTerm, number>();
      const isQualified =
        terms.size * MAX_WORDS_PER_MATCHED_WORD >= matchesOfTerms.length &&
        matchesOfTerms.every(({ term }) => !term.isQuoted || terms.has(term));
      const total = [...terms.values()].reduce((sum, termWeight) => sum + termWeight, 0);
      return isQualified ? [{ section, weight, total }] : [];
    })
    .sort((a, b) => b.total - a.total || b.weight - a.weight || a.section.id - b.section.id)
    .slice(0, MAX_PARTIAL_SECTIONS)
    .map(({ section, total }) => ({ ...section, rank: total }));
}

const pageKey = ({ space, page }: MatchedSection): string => `${space} ${page}`;
