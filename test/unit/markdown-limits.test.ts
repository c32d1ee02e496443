import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { type Document, parseMarkdown, printMarkdown } from '../../server/content/markdown/markdown.ts';
import { verbatimDocument } from '../../server/content/markdown/verbatim.ts';

const contract = new URL('../../generated/openapi.json', import.meta.url);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(JSON.parse(readFileSync(contract, 'utf8')), 'contract');
const isDocument = ajv.compile({ $ref: 'contract#/components/schemas/Document' });

/** Why a page is shown verbatim; undefined for a page that is shown as blocks. */
function problemOf({ nodes: [first, ...more] }: Document) {
  return more.length === 0 && first?.type === 'paragraph' ? first.data.problem?.reason : undefined;
}

describe('markdown that exceeds a limit', () => {
  it.each(['', '\n', 'no line feed at the end', '- a\r\n- b\r\n\r\n', '\ufeff<b>\n\n\n'])(
    'comes back to the letter: %j',
    (markdown) => {
      const document = verbatimDocument(markdown, 'time-limit');
      expect(problemOf(document)).toBe('time-limit');
      expect(isDocument(document), JSON.stringify(isDocument.errors)).toBe(true);
      expect(printMarkdown(document)).toBe(markdown);
      expect(printMarkdown(JSON.parse(JSON.stringify(document)))).toBe(markdown);
    },
  );

  it('is shown verbatim with the reason, and stays so when it is printed and read', () => {
    const markdown = `${'> '.repeat(100)}deep\r\n`;
    const document = parseMarkdown(markdown);
    expect(problemOf(document)).toBe('too-complex');
    expect(printMarkdown(document)).toBe(markdown);
    expect(parseMarkdown(printMarkdown(document))).toEqual(document);
  });
});
