import { expect, test } from 'vitest';
import {
  MAX_SECTION_EXCERPT_CHARACTERS,
  sectionExcerpt,
  wordsOf,
} from '../../../server/content/search-excerpts.ts';

const filler = (words: number) => 'lorem ipsum '.repeat(words / 2);

test('a short text is its own excerpt', () => {
  const text = 'Two lines\nwith a needle.';
  expect(sectionExcerpt(text, ['needle'])).toBe(text);
});

test('a long text is cut around the first match, at the start of a word', () => {
  const excerpt = sectionExcerpt(`${filler(200)}Needle and ${filler(200)}`, wordsOf('needle, "NEEDLE" pin'));
  expect(excerpt).toMatch(/^… (ipsum|lorem) .*Needle and .* …$/);
  expect(excerpt.indexOf('Needle')).toBeLessThan(100);
  expect(excerpt).toHaveLength(MAX_SECTION_EXCERPT_CHARACTERS + '… '.length + ' …'.length);
});

test('a text without a match is cut at its start, and at its end if the match is there', () => {
  expect(sectionExcerpt(`First ${filler(100)}`, ['needle'])).toMatch(/^First lorem .* …$/);
  expect(sectionExcerpt(`${filler(100)}needle`, ['needle'])).toMatch(/^… .*needle$/);
});

test('characters are not cut in two', () => {
  const excerpt = sectionExcerpt('😀'.repeat(MAX_SECTION_EXCERPT_CHARACTERS), ['needle']);
  expect(excerpt.isWellFormed()).toBe(true);
});
