import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { components } from '../../../generated/schema.d.ts';
import {
  type Document,
  parseMarkdown,
  printMarkdown,
  withKeys,
} from '../../../server/content/markdown/markdown.ts';
import { readDocument } from '../../../server/content/markdown/read/read.ts';
import { promptMarkdown } from '../../../server/content/wire/prompts.ts';
import { readWireDocument } from '../../../server/content/wire/read.ts';
import { writeDocument } from '../../../server/content/wire/write.ts';
import { codePoint } from '../../../spec/toolchain/model/schema/code-points.ts';
import { runs } from '../../support/seed.ts';
import { page } from './arbitrary.ts';

const fixtures = new URL('../../fixtures/markdown/', import.meta.url);
const contract = new URL('../../../generated/openapi.json', import.meta.url);

// Not `allErrors`: for nested blocks, it would try every kind of block at every level.
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(JSON.parse(readFileSync(contract, 'utf8')), 'contract');
const isDocument = ajv.compile<components['schemas']['Document']>({
  $ref: 'contract#/components/schemas/Document',
});

function expectLaw(markdown: string): Document {
  const document = parseMarkdown(markdown);
  expect(parseMarkdown(printMarkdown(document))).toEqual(document);
  const written: unknown = JSON.parse(JSON.stringify(writeDocument(document, { prompts: promptMarkdown })));
  if (!isDocument(written)) {
    throw new Error(JSON.stringify(isDocument.errors?.slice(-3)));
  }
  expect(readWireDocument(written, { prompts: promptMarkdown })).toEqual(document);
  return document;
}

/** Whether a page was kept verbatim because printing it was not stable. */
const isVerbatim = ({ nodes: [first] }: Document): boolean =>
  first?.type === 'paragraph' && first.data.problem !== undefined;

describe('pages and documents have the same content', () => {
  for (const name of readdirSync(fixtures)) {
    test(`holds for ${name}, and printing is stable`, () => {
      const markdown = readFileSync(new URL(name, fixtures), 'utf8');
      const document = expectLaw(markdown);
      // The first parse loses nothing to make printing and parsing agree.
      expect(withKeys(readDocument(markdown))).toEqual(document);
      const printed = printMarkdown(document);
      expect(printMarkdown(parseMarkdown(printed))).toBe(printed);
    });
  }

  test('holds for pages of all constructs, none of which exceeds the limits', () => {
    fc.assert(
      fc.property(page, (markdown) => {
        expect(isVerbatim(expectLaw(markdown))).toBe(false);
      }),
      { numRuns: runs(15) },
    );
  });

  test('holds for any string', () => {
    const marks = fc.constantFrom(...'*_`~[]()<>!|#-+=:{}%$&;\\/ \n\t"\'@.1ax');
    const noise = fc.array(fc.oneof({ arbitrary: marks, weight: 9 }, fc.string({ unit: codePoint })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(
        noise.map((parts) => parts.join('')),
        (markdown) => {
          expectLaw(markdown);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test('keeps the key of a block while blocks around it change, and assigns no key twice', () => {
    const before = parseMarkdown('same\n\nold\n\nsame');
    const after = parseMarkdown('# New\n\nsame\n\nnew\n\nsame');
    const keys = (document: Document) => document.nodes.map((block) => block.key);
    expect(new Set(keys(before)).size).toBe(3);
    expect(keys(after)[1]).toBe(keys(before)[0]);
    expect(keys(after)[3]).toBe(keys(before)[2]);
  });
});

describe('unusual pages', () => {
  const many = (text: string, length: number) => text.repeat(length / text.length);
  const texts = {
    'links that do not end': many('[a](', 40_000),
    'emphasis that does not end': many('*a **b ', 40_000),
    'quotations without end': many('> ', 40_000),
    'lists without end': many('* ', 40_000),
    'tags that do not end': many('{% hint style="info" %}\n', 40_000),
    'ends without start': many('{% endhint %}\n\n', 40_000),
    'elements that do not end': many('<kbd>', 40_000),
    'attributes that do not end': many('<a b="', 40_000),
    'one long line of spaces': `# a ${many(' ', 40_000)}| x`,
  };
  for (const [name, text] of Object.entries(texts)) {
    test(`are unchanged: ${name}`, () => {
      expectLaw(text);
    });
  }
});
