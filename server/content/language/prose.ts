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
const NO_LETTERS = /[^\p{L}\p{M}'’]+/gu;

/** Returns a sample of the prose of a text, without code, tags, addresses and numbers. */
export function proseSample(markdown: string): string {
  const fences = new FencedLines();
  const lines = markdown.slice(0, MAX_SAMPLED_CHARACTERS).split('\n');
  const text = lines.filter((line) => fences.next(line) === 'text').join('\n');
  const prose = MARKUP.reduce((rest, pattern) => rest.replace(pattern, ' '), text)
    .split(/\s/)
    .filter((word) => !IDENTIFIER.test(word))
    .join(' ');
  return prose.replace(NO_LETTERS, ' ').trim().slice(0, MAX_SAMPLE_CHARACTERS);
}
