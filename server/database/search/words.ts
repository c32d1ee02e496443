import { type SearchLanguage, stemsOf } from './stems.ts';

/*
 * Splits texts and queries into the words of the search index, which are the same on both engines. The index contains
 * the words of a text in order, and its forms: stems, compounds as one word, and names with symbols such as `C#`.
 */

/** Maximum length of an indexed word. Longer words, such as hashes and encoded data, are truncated. */
export const MAX_INDEXED_WORD_CHARACTERS = 64;
/** Maximum number of words of a compound that is also indexed as one word. */
export const MAX_COMPOUND_WORDS = 4;

/** Matches runs of scripts without spaces between words. Each of their characters is indexed as a word. */
const UNSPACED =
  /((?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*)+)/u;
const RUN = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const ASCII_RUN = /[a-z0-9]+/g;
const NOT_ASCII = /[^\0-\x7f]/;
const LETTER = /^\p{L}/u;
/** Matches the text before a dot that ends a sentence or joins words. */
const BEFORE_NO_DOT = /[\p{L}\p{N}\p{M}\p{Co}.)\]]$/u;
/** Characters that join words to a compound. */
const JOINTS = '.-_\u{2010}';
const APOSTROPHES = "'\u{2019}";

// Symbols are indexed as characters of private use, which both engines accept in words. Such characters in texts are
// ignored.
const DOT = '\u{e001}';
const SHARP = '\u{e002}';
const PLUS = '\u{e003}';
const RESERVED = /[\u{e000}-\u{e1ff}]/gu;

/** A word of a text. */
export interface Word {
  /** Without case and accents. */
  word: string;
  /** Without case. */
  accented: string;
}

/** Words of a text that are written as one, such as `node.js`. */
export interface Compound {
  words: Word[];
  /** Whether the words are the characters of a run of unspaced script. */
  isUnspaced: boolean;
  /** Whether an apostrophe joins it to the preceding compound. */
  isAfterApostrophe: boolean;
  /** The first word with a preceding dot, such as `.net`, and the last one with its symbols, such as `c#`. */
  dotted?: string;
  symbolic?: string;
}

/** The words of a text in order, and their forms, each with the index of the first word that has it. */
export interface IndexedWords {
  words: string[];
  forms: ReadonlyMap<string, number>;
}

/** Removes accents. Only marks of the combining diacritics block: in other scripts marks are vowels. */
export function foldAccents(word: string): string {
  return NOT_ASCII.test(word)
    ? word
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC')
    : word;
}

/** Splits a text into words, without case, accents and punctuation. */
export function compoundsOf(source: string): Compound[] {
  const isAscii = !NOT_ASCII.test(source);
  const text = isAscii ? source.toLowerCase() : source.replace(RESERVED, ' ').normalize('NFKC').toLowerCase();
  const compounds: Compound[] = [];
  let end = -1;
  for (const match of text.matchAll(isAscii ? ASCII_RUN : RUN)) {
    const [run] = match;
    const { index } = match;
    const joint = end === index - 1 ? text.charAt(end) : '';
    end = index + run.length;
    const parts = isAscii ? [run] : run.split(UNSPACED);
    let current: Compound | undefined;
    for (let at = 0; at < parts.length; at++) {
      // Splitting by a captured pattern returns the matches at odd indexes.
      const isUnspaced = at % 2 === 1;
      const words = wordsOf(parts[at] ?? '', isUnspaced);
      const previous = compounds.at(-1);
      if (words.length === 0) {
        continue;
      }
      if (
        joint !== '' &&
        JOINTS.includes(joint) &&
        at === 0 &&
        previous &&
        !previous.isUnspaced &&
        !isUnspaced
      ) {
        previous.words.push(...words);
        delete previous.symbolic;
        current = previous;
      } else {
        const isAfterApostrophe = joint !== '' && APOSTROPHES.includes(joint) && at === 0;
        current = { words, isUnspaced, isAfterApostrophe };
        compounds.push(current);
      }
    }
    addSymbols(current, text, index, end);
  }
  return compounds;
}

/** Returns the words of a part of a run: the characters of unspaced script, or one word. */
function wordsOf(part: string, isUnspaced: boolean): Word[] {
  if (!isUnspaced) {
    const accented = truncate(part);
    const word = truncate(foldAccents(accented));
    return word === '' ? [] : [{ word, accented }];
  }
  // Some vowels of Khmer are marks themselves: a run may start with one.
  return (part.match(/.\p{M}*/gu) ?? [])
    .map((word) => ({ word: truncate(foldAccents(word)), accented: word }))
    .filter(({ word }) => word !== '');
}

function addSymbols(compound: Compound | undefined, text: string, start: number, end: number): void {
  const [first, last] = [compound?.words[0], compound?.words.at(-1)];
  if (!compound || compound.isUnspaced || !first || !last) {
    return;
  }
  const isDotted =
    compound.words.length === 1 &&
    text.charAt(start - 1) === '.' &&
    LETTER.test(first.word) &&
    !BEFORE_NO_DOT.test(text.slice(Math.max(0, start - 3), start - 1));
  if (isDotted) {
    compound.dotted = DOT + first.word;
  }
  const symbols = text.startsWith('++', end) ? '++' : text.charAt(end) === '#' ? '#' : '';
  if (symbols === '' || !LETTER.test(last.word)) {
    return;
  }
  const next = text.slice(end + symbols.length, end + symbols.length + 2);
  if (!LETTER.test(next)) {
    compound.symbolic = last.word + (symbols === '#' ? SHARP : PLUS + PLUS);
  }
}

/** Returns a compound as one word, such as `nodejs` for `node.js`; undefined if it has one word or many. */
export function joined({ words, isUnspaced }: Compound): Word | undefined {
  if (isUnspaced || words.length < 2 || words.length > MAX_COMPOUND_WORDS) {
    return undefined;
  }
  const join = (property: keyof Word) => truncate(words.map((word) => word[property]).join(''));
  return { word: join('word'), accented: join('accented') };
}

/** Returns the words of a text to index, up to a number of words. */
export function indexedWords(text: string, language: SearchLanguage, maxWords: number): IndexedWords {
  const words: string[] = [];
  const forms = new Map<string, number>();
  const add = (form: string | undefined, at: number) => {
    if (form !== undefined && !forms.has(form)) {
      forms.set(form, at);
    }
  };
  for (const compound of compoundsOf(text)) {
    const start = words.length;
    for (const { word, accented } of compound.words) {
      if (!compound.isUnspaced) {
        for (const stem of stemsOf(accented, language, foldAccents)) {
          add(stem, words.length);
        }
      }
      words.push(word);
    }
    const whole = joined(compound);
    if (whole) {
      for (const form of [whole.word, ...stemsOf(whole.accented, language, foldAccents)]) {
        add(form, start);
      }
    }
    add(compound.dotted, start);
    add(compound.symbolic, words.length - 1);
    if (words.length >= maxWords) {
      break;
    }
  }
  return { words: words.slice(0, maxWords), forms };
}

/** Returns the words of a text, separated by spaces, to compare texts by their words. */
export const plainWords = (text: string): string =>
  compoundsOf(text)
    .flatMap(({ words, dotted, symbolic }) => {
      const plain = words.map(({ word }) => word);
      if (dotted !== undefined) {
        plain[0] = dotted;
      }
      if (symbolic !== undefined) {
        plain[plain.length - 1] = symbolic;
      }
      return plain;
    })
    .join(' ');

function truncate(word: string): string {
  return word.length > MAX_INDEXED_WORD_CHARACTERS
    ? Array.from(word).slice(0, MAX_INDEXED_WORD_CHARACTERS).join('')
    : word;
}
