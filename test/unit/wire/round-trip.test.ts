import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { components } from '../../../generated/schema.d.ts';
import type { Reference } from '../../../server/content/markdown/document.ts';
import { parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { promptMarkdown } from '../../../server/content/wire/prompts.ts';
import { readWireDocument } from '../../../server/content/wire/read.ts';
import { writeDocument } from '../../../server/content/wire/write.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import { EVERY_BLOCK } from '../../support/content/every-block.ts';
import { CONSTRUCTS } from './constructs.ts';
import { publicPart, publicSchemas } from './public-part.ts';

type WireDocument = components['schemas']['Document'];

const require = createRequire(import.meta.url);
const fixtures = new URL('../../fixtures/markdown/', import.meta.url);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(readContract(), 'contract');
ajv.addSchema(publicSchemas(require('@gitbook/api/spec/openapi.json')), 'public');
const isDocument = ajv.compile<WireDocument>({ $ref: 'contract#/components/schemas/Document' });
const isPublic = ajv.compile({ $ref: 'public#/components/schemas/JSONDocument' });

/** Texts by name: pages of people, every block, and particular constructs. */
const texts = new Map([
  ...readdirSync(fixtures).map((name) => [name, readFileSync(new URL(name, fixtures), 'utf8')] as const),
  ['every block', EVERY_BLOCK] as const,
  ...Object.entries(CONSTRUCTS),
]);

/** References by resource, as pages are read with. */
const references = new Map<string, Reference>([
  ['ports.md', { kind: 'page', page: 'ports', href: 'https://example.com/ports' }],
  ['page.md', { kind: 'anchor', page: 'page', anchor: 'x' }],
  ['manual.pdf', { kind: 'file', file: 'manual' }],
  ['a.pdf', { kind: 'file', file: 'a' }],
  ['b.pdf', { kind: 'file', file: 'b' }],
  ['plan.svg', { kind: 'file', file: 'plan' }],
  ['boat.png', { kind: 'file', file: 'boat' }],
  ['user:u1', { kind: 'user', user: 'u1' }],
  ['reusable.md', { kind: 'reusable-content', reusableContent: 'support' }],
]);
const addresses = new Map([...references].map(([written, ref]) => [JSON.stringify(ref), written]));

/** Returns the document of a text as a client receives it. */
function received(markdown: string): WireDocument {
  const written = writeDocument(parseMarkdown(markdown), { references, prompts: promptMarkdown });
  const document: unknown = JSON.parse(JSON.stringify(written));
  if (!isDocument(document)) {
    throw new Error(JSON.stringify(isDocument.errors?.slice(-3)));
  }
  return document;
}

const addressOf = (ref: Reference): string =>
  ref.kind === 'url' ? ref.url : (addresses.get(JSON.stringify(ref)) ?? JSON.stringify(ref));

describe('documents of the contract', () => {
  for (const [name, markdown] of texts) {
    test(`have the same Markdown: ${name}`, () => {
      const document = received(markdown);
      const read = readWireDocument(document, { addressOf, prompts: promptMarkdown });
      const printed = printMarkdown(parseMarkdown(markdown));
      expect(printMarkdown(read, addressOf)).toBe(printed);
    });

    test(`are the same again after they are sent: ${name}`, () => {
      const document = received(markdown);
      const read = readWireDocument(document, { addressOf, prompts: promptMarkdown });
      expect(JSON.parse(JSON.stringify(writeDocument(read, { prompts: promptMarkdown })))).toEqual(
        // Prompts are printed with the addresses of the page.
        document,
      );
    });

    test(`have the types of the public platform: ${name}`, () => {
      const document = publicPart(received(markdown));
      expect(isPublic(document), JSON.stringify(isPublic.errors?.slice(-4))).toBe(true);
    });
  }
});

test('documents with the former shape do not have the types of the public platform', () => {
  const former: unknown[] = [
    '| a |\n| - |\n| b |',
    '<details>\n<summary>a</summary>\n\nb\n\n</details>',
    'a[^1]\n\n[^1]: b',
    '![](a.png "b")',
    '<mark style="color:#fff;">a</mark>',
  ].map(parseMarkdown);
  expect(former.map((document) => isPublic(publicPart(document)))).toEqual(former.map(() => false));
});
