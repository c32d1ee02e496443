/** Extracts the prose of Markdown for guessing its language. */
import { FencedLines } from '../markdown/fences.ts';

/** Maximum length of a page's sample for guessing the language of a space. */
export const MAX_SAMPLE_CHARACTERS = 600;
/** Maximum length of the start of a page that the sample is taken from. */
export const MAX_SAMPLED_CHARACTERS = 8000;

/** Code, tags, expressions, elements and the targets of links. */
const MARKUP = [/`[^`]*`/g, /\{%[^%]*%\}/g, /\{\{[^{}]*\}\}/g, /<[^<>]*>/g, /\]\([^()]*\)/g];
/** Part of an address, a path or an identifier. */
const IDENTIFIER = /\w[._/@\\:]\/?\w/;
/** Length of the text whose words are read at once: most samples are in the first one. */
const STEP_CHARACTERS = 1000;
const NO_LETTERS = /[^\p{L}\p{M}'’]+/gu;

/** Returns a sample of the prose of a text, without code, tags, addresses and numbers. */
export function proseSample(markdown: string): string {
  const fences = new FencedLines();
  const lines = markdown.slice(0, MAX_SAMPLED_CHARACTERS).split('\n');
  const text = lines.filter((line) => fences.next(line) === 'text').join('\n');
  const rest = MARKUP.reduce((text, pattern) => text.replace(pattern, ' '), text);
  let prose = '';
  let sample = '';
  // Only as many words as needed: the patterns of words and letters take long.
  for (let start = 0; start < rest.length && sample.length <= MAX_SAMPLE_CHARACTERS; ) {
    const end = wordEnd(rest, start + STEP_CHARACTERS);
    const words = rest.slice(start, end).split(/\s/);
    prose += ` ${words.filter((word) => !IDENTIFIER.test(word)).join(' ')}`;
    sample = prose.replace(NO_LETTERS, ' ').trim();
    start = end + 1;
  }
  return sample.slice(0, MAX_SAMPLE_CHARACTERS);
}

/** Returns the position of the first space from a position. */
function wordEnd(text: string, from: number): number {
  const space = /\s/g;
  space.lastIndex = from;
  return space.exec(text)?.index ?? text.length;
}
