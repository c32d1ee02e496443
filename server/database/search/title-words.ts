import type { MatchedSection } from './matches.ts';
import { MARK_LENGTH, type SearchLanguage } from './stems.ts';
import type { Phrase, SearchQuery, SearchTerm } from './terms.ts';
import { indexedWords } from './words.ts';

/** Maximum number of words of a title that are compared with a query. */
export const MAX_COMPARED_TITLE_WORDS = 50;

/** Number of characters of a word that titles are compared with first: stems may differ in the next ones. */
export const MIN_COMPARED_CHARACTERS = 3;
/** Text without other characters than those of ASCII. */
export const ASCII = /^[ -~]*$/;

/** Factors of the weight of a word that is in the title of a page, in a heading or in the text. */
const PLACES = { pageTitle: 3, heading: 2, text: 1 };

/** The words of a title and their forms, and its words in order, between spaces. */
interface IndexedTitle {
  words: ReadonlySet<string>;
  text: string;
}

/** The words of titles and their forms. */
export class TitleWords {
  readonly #languages: readonly SearchLanguage[];
  readonly #titles = new Map<string, IndexedTitle>();

  constructor(languages: readonly SearchLanguage[]) {
    this.#languages = languages;
  }

  /** Returns the factor of the weight of a term in a section. */
  placeOf({ pageTitle, title }: MatchedSection, term: SearchTerm): number {
    if (this.#has(pageTitle, term)) {
      return PLACES.pageTitle;
    }
    return this.#has(title, term) ? PLACES.heading : PLACES.text;
  }

  /** Returns whether a title matches each term of a query, in any order. */
  hasAll(title: string, { terms, hasPrefix }: SearchQuery): boolean {
    // Most titles do not contain the first characters of the terms, which is found without splitting them into words.
    const text = ASCII.test(title) ? title.toLowerCase() : undefined;
    const mayHave = (term: SearchTerm) =>
      text === undefined || startsOf(term).some((start) => text.includes(start));
    return (
      terms.every(mayHave) &&
      terms.every((term, at) => this.#has(title, term, hasPrefix && at === terms.length - 1))
    );
  }

  /** @param isPrefix whether the words of the term may be prefixes */
  #has(title: string, { phrases, forms, isUnspaced }: SearchTerm, isPrefix = false): boolean {
    const { words, text } = this.#titles.get(title) ?? this.#read(title);
    const hasWord = (word: string) =>
      words.has(word) || (isPrefix && [...words].some((other) => other.startsWith(word)));
    // The characters of a script without spaces are a word only next to each other.
    const hasPhrase = (phrase: Phrase) =>
      isUnspaced ? text.includes(` ${phrase.join(' ')} `) : phrase.every(hasWord);
    return forms.some((form) => words.has(form)) || phrases.some(hasPhrase);
  }

  #read(title: string): IndexedTitle {
    const indexed = this.#languages.map((language) =>
      indexedWords(title, language, MAX_COMPARED_TITLE_WORDS),
    );
    const read = {
      words: new Set(indexed.flatMap(({ words, forms }) => [...words, ...forms.keys()])),
      text: ` ${indexed[0]?.words.join(' ')} `,
    };
    this.#titles.set(title, read);
    return read;
  }
}

/** Returns the first characters of the words that match a term. */
const startsOf = ({ phrases, forms }: SearchTerm): string[] => [
  ...phrases.map(([word = '']) => word.slice(0, MIN_COMPARED_CHARACTERS)),
  ...forms.map((form) => form.slice(MARK_LENGTH, MARK_LENGTH + MIN_COMPARED_CHARACTERS)),
];
