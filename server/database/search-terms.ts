import { type SearchLanguage, stemsOf } from './stems.ts';
import { type Compound, compoundsOf, foldAccents, joined, type Word } from './words.ts';

/** Maximum number of words of a query. Further words are ignored. */
export const MAX_QUERY_WORDS = 32;
/** Maximum number of letters of a word that an apostrophe joins to another one, and that is ignored. */
export const MAX_ELIDED_CHARACTERS = 2;

/** Words that are consecutive in a text. */
export type Phrase = readonly string[];

/** A condition of a query: one of the phrases and forms matches. */
export interface SearchTerm {
  /** As written. In the last term, their last words are prefixes. */
  phrases: readonly Phrase[];
  /** Forms of words, see {@link stemsOf}. */
  forms: readonly string[];
  /** The only word of the term, in which a typo may be corrected. */
  word?: Word;
}

/** A query. A section has to match each of its terms. */
export interface SearchQuery {
  terms: readonly SearchTerm[];
  /** Whether the last word may be a prefix. */
  hasPrefix: boolean;
}

/**
 * Reads a query. Text in double quotes is a phrase of exact words; a quote without a counterpart is ignored.
 *
 * @param languages languages of the content
 */
export function readQuery(query: string, languages: readonly SearchLanguage[]): SearchQuery {
  const terms: SearchTerm[] = [];
  let count = 0;
  let hasPrefix = false;
  for (const { text, isQuoted } of partsOf(query)) {
    const compounds: Compound[] = [];
    for (const compound of isQuoted ? compoundsOf(text) : withoutElisions(compoundsOf(text))) {
      const words = compound.words.slice(0, MAX_QUERY_WORDS - count);
      count += words.length;
      if (words.length > 0) {
        compounds.push({ ...compound, words });
      }
    }
    if (compounds.length === 0) {
      continue;
    }
    if (isQuoted) {
      const phrase = compounds.flatMap(({ words }) => words.map(({ word }) => word));
      terms.push({ phrases: [phrase], forms: [] }, ...compounds.flatMap(symbolTerms));
    } else {
      terms.push(...compounds.flatMap((compound) => compoundTerms(compound, languages)));
    }
    hasPrefix = !isQuoted;
  }
  return { terms, hasPrefix };
}

/** Splits a query at its quotes. */
function partsOf(query: string): Array<{ text: string; isQuoted: boolean }> {
  const parts = query.split(/["\u{201c}\u{201d}]/u);
  const isBalanced = parts.length % 2 === 1;
  return parts.map((text, at) => ({ text, isQuoted: at % 2 === 1 && (isBalanced || at < parts.length - 1) }));
}

/** Removes elided articles and the ends of contractions, such as in `l'installation` and `user's`. */
function withoutElisions(compounds: readonly Compound[]): Compound[] {
  const isShort = ({ words: [first, ...others] }: Compound) =>
    others.length === 0 && first !== undefined && first.word.length <= MAX_ELIDED_CHARACTERS;
  return compounds.filter((compound, at) => {
    const next = compounds[at + 1];
    const isElided = next?.isAfterApostrophe && !isShort(next);
    return !(isShort(compound) && (isElided || compound.isAfterApostrophe));
  });
}

function compoundTerms(compound: Compound, languages: readonly SearchLanguage[]): SearchTerm[] {
  const symbols = symbolTerms(compound);
  const phrase = compound.words.map(({ word }) => word);
  const [word] = compound.words;
  if (compound.isUnspaced || !word) {
    return [{ phrases: [phrase], forms: [] }];
  }
  if (compound.words.length === 1) {
    return symbols.length > 0 ? symbols : [wordTerm(word, languages)];
  }
  const whole = joined(compound);
  return [
    ...symbols,
    whole
      ? { phrases: [phrase, [whole.word]], forms: formsOf(whole, languages) }
      : { phrases: [phrase], forms: [] },
  ];
}

const wordTerm = (word: Word, languages: readonly SearchLanguage[]): SearchTerm => ({
  phrases: [[word.word]],
  forms: formsOf(word, languages),
  word,
});

/** Returns the stems of a word in each language. */
export const formsOf = ({ accented }: Word, languages: readonly SearchLanguage[]): string[] => [
  ...new Set(languages.flatMap((language) => stemsOf(accented, language, foldAccents))),
];

const symbolTerms = ({ dotted, symbolic }: Compound): SearchTerm[] =>
  [dotted, symbolic].flatMap((form) => (form === undefined ? [] : [{ phrases: [[form]], forms: [] }]));
