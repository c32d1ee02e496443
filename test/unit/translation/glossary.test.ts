import { expect, test } from 'vitest';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import {
  glossaryDigest,
  MAX_GLOSSARY_TERMS,
  readGlossary,
} from '../../../server/content/translation/glossary.ts';

const glossaryOf = (markdown: string) => Object.fromEntries(readGlossary(parseMarkdown(markdown)));

test('list items with an arrow and the first two columns of tables are terms', () => {
  const markdown = [
    'Use the polite form → always.',
    '* space → Bereich\n* page -> Seite\n  * change request => Änderungsantrag\n* no term\n* → nothing',
    '1. Colophon → Colophon',
    '| Term | German | Note |\n| - | - | - |\n| site | Website | noun |\n| empty | | |\n| page | Blatt | |',
    '> * quoted → zitiert\n',
  ].join('\n\n');
  expect(glossaryOf(markdown)).toEqual({
    space: 'Bereich',
    page: 'Seite',
    'change request': 'Änderungsantrag',
    Colophon: 'Colophon',
    site: 'Website',
    quoted: 'zitiert',
  });
});

test('the number and the length of terms are limited', () => {
  const items = Array.from({ length: MAX_GLOSSARY_TERMS + 1 }, (_, at) => `* term ${at} → t${at}`);
  expect(Object.keys(glossaryOf(items.join('\n')))).toHaveLength(MAX_GLOSSARY_TERMS);
  expect(glossaryOf(`* ${'x'.repeat(201)} → y`)).toEqual({});
});

test('the digest depends on the terms, not on their order', () => {
  const [a, b] = [['a', 'b'] as const, ['c', 'd'] as const];
  expect(glossaryDigest(new Map([a, b]))).toBe(glossaryDigest(new Map([b, a])));
  expect(glossaryDigest(new Map([a]))).not.toBe(glossaryDigest(new Map([b])));
});
