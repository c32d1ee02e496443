import type { Word } from './words.ts';

/**
 * Nouns that English texts also write as two words, such as `setup`: the verb, its form with `-ing`, and the second word.
 */
const PHRASAL_WORDS = new Map(
  [
    ['set', 'setting', 'up'],
    ['back', 'backing', 'up'],
    ['clean', 'cleaning', 'up'],
    ['look', 'looking', 'up'],
    ['sign', 'signing', 'up'],
    ['start', 'starting', 'up'],
    ['log', 'logging', 'in'],
    ['sign', 'signing', 'in'],
    ['plug', 'plugging', 'in'],
    ['check', 'checking', 'out'],
    ['log', 'logging', 'out'],
    ['roll', 'rolling', 'out'],
    ['sign', 'signing', 'out'],
    ['shut', 'shutting', 'down'],
    ['call', 'calling', 'back'],
    ['roll', 'rolling', 'back'],
  ].map(([verb = '', participle = '', particle = '']) => [
    verb + particle,
    [
      [verb, particle],
      [participle, particle],
    ],
  ]),
);

/** The nouns by the two words. */
const NOUNS = new Map(
  [...PHRASAL_WORDS].flatMap(([noun, phrases]) => phrases.map((phrase) => [phrase.join(' '), noun] as const)),
);

/** Returns the phrases of two words that texts write instead of a noun, such as `set up` and `setting up`. */
export const phrasalPhrases = (word: string): readonly string[][] => PHRASAL_WORDS.get(word) ?? [];

/** Returns the noun that texts write instead of two words, such as `login` for `log in`. */
export function phrasalNoun(first: Word, second: Word): Word | undefined {
  const noun = NOUNS.get(`${first.word} ${second.word}`);
  return noun === undefined ? undefined : { word: noun, accented: noun };
}
