import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PassageReader } from '../../../server/content/markdown/read/parse/passages.ts';
import { readDocument } from '../../../server/content/markdown/read/read.ts';

/** Parts that end within a construct, or would continue the previous one. */
const part = fc.constantFrom(
  'text',
  '```\ncode',
  'in a fence?\n```',
  '~~~',
  '<!-- a',
  '--> b',
  '$$\nx',
  '$$',
  '* item',
  '  more of it',
  '* ```\n  code',
  '> quoted',
  '| a |\n| - |',
  '| b |',
  '    indented',
  '<div>\n<p>',
  '<details>',
  '# Heading',
  'Under\n===',
  '===',
  '{% hint style="info" %}',
  '[label]',
  '[label]: /address',
  'see[^1]',
  '[^1]: note',
  'me@example.com and www.example.com',
);
const text = (parts: string[]) => parts.join('\n\n');

describe('parsing a text after another', () => {
  test('returns the same as parsing it alone, for any common passages', { timeout: 30_000 }, () => {
    const twice = fc
      .array(part, { minLength: 1, maxLength: 8 })
      .chain((parts) =>
        fc.tuple(
          fc.constant(parts),
          fc.array(fc.oneof({ arbitrary: fc.constantFrom(...parts), weight: 4 }, part), { maxLength: 10 }),
        ),
      );
    fc.assert(
      fc.property(twice, ([first, second]) => {
        const passages = new PassageReader();
        readDocument(text(first), passages);
        expect(readDocument(text(second), passages)).toEqual(readDocument(text(second)));
      }),
      { numRuns: 500 },
    );
  });

  test('parses only the new passages and the end', () => {
    const passages = new PassageReader();
    passages.read('one\n\ntwo\n\nthree');
    const sources = passages.read('one\n\nnew\n\nthree').map(({ source }) => source);
    expect(sources).toEqual(['one\n\ntwo\n\nthree', 'new\n\nthree']);
  });

  test('does not reuse a passage within an open fence', () => {
    const passages = new PassageReader();
    readDocument('```\na\n```\n\nb\n\nc', passages);
    const nodes = readDocument('```\na\n\nb\n\nc', passages).nodes;
    expect(nodes.map(({ type }) => type)).toEqual(['code']);
  });
});
