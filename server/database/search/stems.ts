import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';

/** Language code of a space; null if it has none, and words then have the forms of English. */
export type SearchLanguage = string | null;

/** Length of the marks of stems. */
export const MARK_LENGTH = 1;

interface Stemmer {
  /** Precedes the stems of the language in the index, so that they match neither words nor other stems. */
  mark: string;
  stem: (word: string) => string;
}

// The marks are stored in the index: when one changes, pages have to be indexed again.
const ENGLISH: Stemmer = { mark: '\u{e100}', stem: english };
const PORTUGUESE: Stemmer = { mark: '\u{e105}', stem: portuguese };
const STEMMERS: ReadonlyMap<string, Stemmer> = new Map([
  ['en', ENGLISH],
  ['fr', { mark: '\u{e101}', stem: french }],
  ['de', { mark: '\u{e102}', stem: german }],
  ['es', { mark: '\u{e103}', stem: spanish }],
  ['it', { mark: '\u{e104}', stem: italian }],
  ['pt', PORTUGUESE],
  ['pt-br', PORTUGUESE],
  ['ru', { mark: '\u{e106}', stem: russian }],
  ['ar', { mark: '\u{e107}', stem: arabic }],
  ['hi', { mark: '\u{e108}', stem: hindi }],
  ['nl', { mark: '\u{e109}', stem: dutch }],
  ['tr', { mark: '\u{e10a}', stem: turkish }],
  ['sv', { mark: '\u{e10b}', stem: swedish }],
  ['no', { mark: '\u{e10c}', stem: norwegian }],
  ['da', { mark: '\u{e10d}', stem: danish }],
  ['fi', { mark: '\u{e10e}', stem: finnish }],
  ['el', { mark: '\u{e10f}', stem: greek }],
  ['hu', { mark: '\u{e110}', stem: hungarian }],
  ['ro', { mark: '\u{e111}', stem: romanian }],
  ['id', { mark: '\u{e112}', stem: indonesian }],
  ['uk', { mark: '\u{e113}', stem: ukrainian }],
  ['lt', { mark: '\u{e114}', stem: lithuanian }],
]);
/** Languages in other scripts. Their texts contain English names and terms. */
const NOT_LATIN = new Set(['ru', 'ja', 'zh', 'yue', 'ko', 'ar', 'hi', 'el', 'th', 'he', 'uk', 'bg']);

/** Minimum length of a word that has forms. */
export const MIN_STEMMED_CHARACTERS = 3;
/** Maximum number of cached word stems per process. */
export const MAX_CACHED_STEMS = 20_000;

const LETTERS = /^\p{L}[\p{L}\p{M}]*$/u;
const LATIN = /^\p{Script=Latin}/u;

/** Cached stems by language and word. One key of both would be a new text for every word of every page. */
const cache = new Map<SearchLanguage, Map<string, readonly string[]>>();
let cachedStems = 0;

/** Returns the stemmer of the words of a language that are in Latin script, or in another one. */
function stemmerOf(language: SearchLanguage, isLatin: boolean): Stemmer | undefined {
  if (language === null || (isLatin && NOT_LATIN.has(language))) {
    return isLatin ? ENGLISH : undefined;
  }
  return STEMMERS.get(language);
}

/**
 * Returns the stems of a word, each with the mark of its language. A word with accents has two: one with the rules of
 * its language, and one of the word as written without accents.
 *
 * @param word in lower case
 * @param foldAccents removes accents
 */
export function stemsOf(
  word: string,
  language: SearchLanguage,
  foldAccents: (word: string) => string,
): readonly string[] {
  const cached = cache.get(language)?.get(word);
  if (cached) {
    return cached;
  }
  const stems = computeStems(word, language, foldAccents);
  if (cachedStems >= MAX_CACHED_STEMS) {
    cache.clear();
    cachedStems = 0;
  }
  cachedStems += 1;
  const ofLanguage = cache.get(language) ?? new Map<string, readonly string[]>();
  cache.set(language, ofLanguage.set(word, stems));
  return stems;
}

function computeStems(
  word: string,
  language: SearchLanguage,
  foldAccents: (word: string) => string,
): readonly string[] {
  if (word.length < MIN_STEMMED_CHARACTERS || !LETTERS.test(word)) {
    return [];
  }
  const stemmer = stemmerOf(language, LATIN.test(word));
  if (!stemmer) {
    return [];
  }
  const { mark, stem } = stemmer;
  const stems = [word, foldAccents(word)].map((form) => foldAccents(stem(form)));
  return [...new Set(stems)].filter((form) => form !== '').map((form) => `${mark}${form}`);
}

/** Matches a short word with a stem that ends with a double letter, or with one letter in its longer forms. */
const DOUBLED = /^[aeiou]([bdfgmnprt])\1$/;

/**
 * Returns the stems of the word of a query: those of English words such as `add` are not the same as those of `adding`,
 * which loses a letter.
 *
 * @param word in lower case
 * @param foldAccents removes accents
 */
export function searchedStemsOf(
  word: string,
  language: SearchLanguage,
  foldAccents: (word: string) => string,
): readonly string[] {
  const stems = stemsOf(word, language, foldAccents);
  const start = word.slice(0, 3);
  const [short, long] = [ENGLISH.mark + start.slice(0, 2), ENGLISH.mark + start];
  if (!DOUBLED.test(start) || !stems.some((stem) => stem === short || stem === long)) {
    return stems;
  }
  return [...new Set([...stems, short, long])];
}
