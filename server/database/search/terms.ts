import { phrasalNoun, phrasalPhrases } from './phrasal-words.ts';
import { type SearchLanguage, searchedStemsOf } from './stems.ts';
import { isStopWord, withoutQuestion } from './stop-words.ts';
import { type Compound, compoundsOf, foldAccents, joined, type Word } from './words.ts';

/** Maximum number of words of a query. Further words are ignored. */
export const MAX_QUERY_WORDS = 32;
/** Maximum number of letters of a word that an apostrophe joins to another one, and that is ignored. */
export const MAX_ELIDED_CHARACTERS = 2;

/** Minimum length of the parts of a word that is split. */
export const MIN_SPLIT_CHARACTERS = 3;
/** Minimum length of the first part of a split word to be searched as a prefix. */
export const MIN_PREFIX_CHARACTERS = 4;
/** Maximum length of a word that is split. */
export const MAX_SPLIT_CHARACTERS = 24;
const LETTERS = /^\p{L}+$/u;
/** Finds words with the dictionaries of the runtime, which depend on the script and not on the locale. */
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });
const SINGLE = /^.\p{M}*$/u;
/** Matches the number of a version, such as `v3`. */
const VERSION = /^v(\d+)$/;
/** The word that texts in many languages write before the number. */
const VERSION_WORD = 'version';
/** Matches particles and endings of Japanese. */
const PARTICLE = /^\p{Script=Hiragana}{1,2}$/u;

/** Words that are consecutive in a text. */
export type Phrase = readonly string[];

/** A condition of a query: one of the phrases and forms matches. */
export interface SearchTerm {
  /** As written. */
  phrases: readonly Phrase[];
  /** Whether the last words of the phrases may be prefixes, as in the last term of a query. */
  isPrefix?: boolean;
  /** Forms of words, see {@link searchedStemsOf}. */
  forms: readonly string[];
  /** Alternatively, pairs of words that must both match. */
  pairs?: ReadonlyArray<readonly [SearchTerm, SearchTerm]>;
  /** The only word of the term, or its words joined into one, for the correction of typos. */
  word?: Word;
  /** The terms of the words of a compound, such as `git-sync`. A section may contain only some of them. */
  parts?: readonly SearchTerm[];
  /** Whether the term was quoted. */
  isQuoted?: boolean;
  /** Whether the phrase consists of the characters of a script without spaces between words. */
  isUnspaced?: boolean;
}

/** A query. A section has to match each of its terms. */
export interface SearchQuery {
  terms: readonly SearchTerm[];
  /** Whether the last word may be a prefix. */
  hasPrefix: boolean;
}

/**
 * Reads a query. Text in double quotes is a phrase of exact words; a quote without a counterpart is ignored. Articles
 * and question words are ignored if there are others.
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
      const quoted = [{ phrases: [phrase], forms: [] }, ...compounds.flatMap(symbolTerms)];
      terms.push(...quoted.map((term) => ({ ...term, isQuoted })));
    } else {
      const words = compounds.flatMap((compound) => compoundTerms(compound, languages));
      terms.push(...withJoined(words, languages));
    }
    hasPrefix = !isQuoted;
  }
  const relevant = terms.filter(({ word }) => !word || !isStopWord(word.word, languages));
  return { terms: relevant.length > 0 ? relevant : terms, hasPrefix };
}

/** Adds words that are written as one in texts, such as `websocket` to `web` and `socket`, to the terms of both. */
function withJoined(terms: readonly SearchTerm[], languages: readonly SearchLanguage[]): SearchTerm[] {
  const joinedWords = terms.slice(1).map(({ word: second }, at) => {
    const first = terms[at]?.word;
    return first && second && joinedWord(first, second, languages);
  });
  return terms.map((term, at) => {
    const added = [joinedWords[at - 1], joinedWords[at]].filter((word) => word !== undefined);
    return added.length === 0
      ? term
      : {
          ...term,
          phrases: [...term.phrases, ...added.map(({ word }) => [word])],
          forms: [...term.forms, ...added.flatMap((word) => formsOf(word, languages))],
        };
  });
}

/** Maximum length of each of two words that are also searched as one. */
export const MAX_JOINED_CHARACTERS = 12;

/** Returns two words as one, as which texts may write them. */
function joinedWord(first: Word, second: Word, languages: readonly SearchLanguage[]): Word | undefined {
  const isJoined = isJoinable(first, languages) && isJoinable(second, languages);
  return isJoined
    ? { word: first.word + second.word, accented: first.accented + second.accented }
    : phrasalNoun(first, second);
}

const isJoinable = ({ word }: Word, languages: readonly SearchLanguage[]): boolean =>
  word.length >= MIN_SPLIT_CHARACTERS &&
  word.length <= MAX_JOINED_CHARACTERS &&
  LETTERS.test(word) &&
  !isStopWord(word, languages);

/** Returns a term that matches two words which together are a word, such as `auto` and `scaling` for `autoscaling`. */
export function splitWord({ accented }: Word, languages: readonly SearchLanguage[]): SearchTerm | undefined {
  const letters = Array.from(accented);
  const ends = letters.length - MIN_SPLIT_CHARACTERS;
  if (ends < MIN_SPLIT_CHARACTERS || letters.length > MAX_SPLIT_CHARACTERS || !LETTERS.test(accented)) {
    return undefined;
  }
  const pairs: Array<readonly [SearchTerm, SearchTerm]> = [];
  for (let at = MIN_SPLIT_CHARACTERS; at <= ends; at++) {
    const [first, second] = [letters.slice(0, at), letters.slice(at)].map((part) => {
      const text = part.join('');
      return wordTerm({ word: foldAccents(text), accented: text }, languages);
    });
    if (first && second) {
      pairs.push([{ ...first, isPrefix: at >= MIN_PREFIX_CHARACTERS }, second]);
    }
  }
  return { phrases: [], forms: [], pairs };
}

/** Splits the terms of a script without spaces into words. A text may contain only some of them. */
export function separateWords({ terms, hasPrefix }: SearchQuery): SearchQuery {
  return { terms: terms.flatMap((term) => (term.isUnspaced ? wordTerms(term) : [term])), hasPrefix };
}

function wordTerms(term: SearchTerm): SearchTerm[] {
  const text = term.phrases.flat().join('');
  const words = [...SEGMENTER.segment(text)].map(({ segment }) => segment);
  // A single character is found in many other words.
  const relevant = words.filter((word) => !SINGLE.test(word) && !PARTICLE.test(word));
  return relevant.length > 0
    ? relevant.map((word) => ({ phrases: [word.match(/.\p{M}*/gu) ?? []], forms: [], isUnspaced: true }))
    : [term];
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
    return [{ phrases: [withoutQuestion(phrase)], forms: [], isUnspaced: compound.isUnspaced }];
  }
  const version = versionOf(phrase);
  if (compound.words.length === 1) {
    const term = wordTerm(word, languages);
    return symbols.length > 0
      ? symbols
      : [{ ...term, phrases: [...term.phrases, ...version, ...phrasalPhrases(word.word)] }];
  }
  const whole = joined(compound);
  const parts = compound.words.map((part) => wordTerm(part, languages));
  return [
    ...symbols,
    whole
      ? { phrases: [phrase, [whole.word], ...version], forms: formsOf(whole, languages), word: whole, parts }
      : { phrases: [phrase, ...version], forms: [], parts },
  ];
}

/** Returns the phrase that means the same as the number of a version, such as `version 3` for `v3`. */
function versionOf([first = '', ...others]: Phrase): Phrase[] {
  const number = VERSION.exec(first)?.[1];
  return number === undefined ? [] : [[VERSION_WORD, number, ...others]];
}

const wordTerm = (word: Word, languages: readonly SearchLanguage[]): SearchTerm => ({
  phrases: [[word.word]],
  forms: formsOf(word, languages),
  word,
});

/** Returns the stems of a word in each language. */
export const formsOf = ({ accented }: Word, languages: readonly SearchLanguage[]): string[] => [
  ...new Set(languages.flatMap((language) => searchedStemsOf(accented, language, foldAccents))),
];

const symbolTerms = ({ dotted, symbolic }: Compound): SearchTerm[] =>
  [dotted, symbolic].flatMap((form) => (form === undefined ? [] : [{ phrases: [[form]], forms: [] }]));
