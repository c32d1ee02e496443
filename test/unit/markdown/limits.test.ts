import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { MAX_DOCUMENT_BYTES, MAX_PARSED_CHARACTERS } from '../../../server/content/markdown/limits.ts';
import { type Document, parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { verbatimDocument } from '../../../server/content/markdown/verbatim.ts';
import { ADVERSARIAL_SHAPES, ORDINARY_SHAPES } from '../../support/content/markdown-shapes.ts';

const contract = new URL('../../../generated/openapi.json', import.meta.url);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(JSON.parse(readFileSync(contract, 'utf8')), 'contract');
const isDocument = ajv.compile({ $ref: 'contract#/components/schemas/Document' });

/** Returns the reason why a page is shown verbatim; undefined for a page with blocks. */
function problemOf({ nodes: [first, ...more] }: Document) {
  return more.length === 0 && first?.type === 'paragraph' ? first.data.problem?.reason : undefined;
}

describe('markdown that exceeds a limit', () => {
  test.each(['', '\n', 'no line feed at the end', '- a\r\n- b\r\n\r\n', '\ufeff<b>\n\n\n'])(
    'is unchanged to the letter: %j',
    (markdown) => {
      const document = verbatimDocument(markdown, 'time-limit');
      expect(problemOf(document)).toBe('time-limit');
      expect(isDocument(document), JSON.stringify(isDocument.errors)).toBe(true);
      expect(printMarkdown(document)).toBe(markdown);
      expect(printMarkdown(JSON.parse(JSON.stringify(document)))).toBe(markdown);
    },
  );

  test('is shown verbatim with the reason, and stays so when it is printed and parsed', () => {
    const markdown = `${'> '.repeat(100)}deep\r\n`;
    const document = parseMarkdown(markdown);
    expect(problemOf(document)).toBe('too-deep');
    expect(printMarkdown(document)).toBe(markdown);
    expect(parseMarkdown(printMarkdown(document))).toEqual(document);
  });

  test('is a page that is too long to parse', () => {
    // A shorter text is rejected for its depth, which is determined without parsing.
    const longest = `${'> '.repeat(100)}deep\n`.padEnd(MAX_PARSED_CHARACTERS, '- a\n');
    for (const [markdown, reason] of [
      [longest, 'too-deep'],
      [`${longest}\n`, 'too-long'],
    ] as const) {
      const document = parseMarkdown(markdown);
      expect(problemOf(document)).toBe(reason);
      expect(printMarkdown(document) === markdown).toBe(true);
    }
  });

  /** Each exceeds a limit at another location. */
  const larger: [name: string, characters: number, reason: string][] = [
    ['short lists', 85_000, 'too-large'],
    ['tables', 300_000, 'too-large'],
    ['code', 400_000, 'too-large'],
    ['one long HTML table', 500_000, 'too-large'],
    ['one long HTML table', 1_500_000, 'too-large'],
    ['" > * a\\n >\\n > b\\n"', 100_000, 'too-complex'],
    ['"> a\\nb\\n"', 100_000, 'too-complex'],
    ['a wide table of empty rows', 60_000, 'too-large'],
    ['one definition with a long title, many references', 40_000, 'too-large'],
    ['one note, many references', 90_000, 'too-long'],
    ['opening then closing emphasis', 20_000, 'too-complex'],
    ['quotes, each deeper', 10_000, 'too-deep'],
    ['items, each deeper', 20_000, 'too-deep'],
  ];
  test.each(larger)('is a page of %s, %d characters', (name, characters, reason) => {
    const markdown = { ...ORDINARY_SHAPES, ...ADVERSARIAL_SHAPES }[name]?.(characters) ?? '';
    expect(markdown.length).toBeGreaterThan(characters / 2);
    const document = parseMarkdown(markdown);
    expect(problemOf(document)).toBe(reason);
    expect(printMarkdown(document) === markdown).toBe(true);
  });

  test('never makes a document that exceeds its limit', () => {
    for (const [name, shape] of Object.entries(ADVERSARIAL_SHAPES)) {
      const markdown = shape(1000);
      const document = parseMarkdown(markdown);
      expect([name, JSON.stringify(document).length < 1.5 * MAX_DOCUMENT_BYTES]).toEqual([name, true]);
      expect([name, parseMarkdown(printMarkdown(document))]).toEqual([name, document]);
      if (problemOf(document)) {
        expect([name, printMarkdown(document)]).toEqual([name, markdown]);
      }
    }
  });
});
