// The package declares no path to its types that TypeScript resolves.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { components } from '../../../generated/schema.d.ts';
import type { JSONDocument } from '../../../node_modules/@gitbook/api/dist/client.d.ts';
import { printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { promptMarkdown } from '../../../server/content/wire/prompts.ts';
import { readWireDocument } from '../../../server/content/wire/read.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';

type Schemas = components['schemas'];

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(readContract(), 'contract');
const isDocument = ajv.compile<Schemas['Document']>({ $ref: 'contract#/components/schemas/Document' });

const text = <Text extends string>(value: Text) =>
  ({ object: 'text', key: 'k', leaves: [{ object: 'leaf', text: value, marks: [] }] }) as const;
const paragraph = <Text extends string>(value: Text) =>
  ({ object: 'block', type: 'paragraph', nodes: [text(value)] }) as const;

/** A document as clients of the public platform write it: both types accept it without a cast. */
const document = {
  object: 'document',
  data: {},
  nodes: [
    { object: 'block', type: 'heading-1', data: {}, meta: { id: 'x' }, nodes: [text('Title')] },
    {
      object: 'block',
      type: 'expandable',
      isVoid: true,
      data: { defaultExpanded: true },
      fragments: [
        {
          object: 'fragment',
          fragment: 'expandable-title',
          type: 'expandable-title',
          nodes: [paragraph('More')],
        },
        {
          object: 'fragment',
          fragment: 'expandable-body',
          type: 'expandable-body',
          nodes: [paragraph('Body')],
        },
      ],
    },
    {
      object: 'block',
      type: 'list-tasks',
      nodes: [{ object: 'block', type: 'list-item', data: { checked: true }, nodes: [paragraph('Done')] }],
    },
    {
      object: 'block',
      type: 'images',
      isVoid: false,
      data: { align: 'right' },
      nodes: [
        {
          object: 'block',
          type: 'image',
          isVoid: true,
          data: { ref: { kind: 'file', file: 'f1' }, width: 320, height: { unit: '%', value: 50 } },
          fragments: [{ object: 'fragment', fragment: 'caption', nodes: [paragraph('Caption')] }],
        },
      ],
    },
    {
      object: 'block',
      type: 'table',
      isVoid: true,
      data: {
        view: { type: 'grid', columns: ['a', 'b'], hideHeader: false, useNewSizing: true },
        definition: {
          b: { id: 'b', title: 'B', type: 'checkbox' },
          a: { id: 'a', title: 'A', type: 'text', textAlignment: 'center' },
        },
        records: {
          two: { orderIndex: 'b', values: { a: 'f2', b: false } },
          one: { orderIndex: 'a', values: { a: 'f1', b: true } },
        },
      },
      fragments: [
        { object: 'fragment', fragment: 'f1', nodes: [paragraph('First')] },
        { object: 'fragment', fragment: 'f2', nodes: [paragraph('Second')] },
      ],
    },
    {
      object: 'block',
      type: 'prompt',
      data: { description: 'Plan' },
      nodes: [
        {
          object: 'block',
          type: 'code',
          data: { syntax: 'markdown' },
          nodes: [{ object: 'block', type: 'code-line', data: {}, nodes: [text('Do it.')] }],
        },
      ],
    },
    {
      object: 'block',
      type: 'paragraph',
      nodes: [
        { object: 'inline', type: 'emoji', key: 'k', isVoid: true, data: { code: '1f680' } },
        {
          object: 'inline',
          type: 'annotation',
          isVoid: false,
          nodes: [text('word')],
          fragments: [{ object: 'fragment', type: 'annotation-body', nodes: [paragraph('Note')] }],
        },
        {
          object: 'inline',
          type: 'button',
          isVoid: true,
          data: { kind: 'primary', label: 'Ask', size: 'small', action: { action: 'ask', query: 'Why?' } },
        },
      ],
    },
    { object: 'block', type: 'divider', isVoid: true, data: {} },
  ],
} as const;

/** Makes arrays mutable, as the types declare them. */
type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
const mutable = (value: typeof document): Mutable<typeof document> =>
  structuredClone(value) as Mutable<typeof document>;

test('a document of the public platform is a document of the contract, and has Markdown', () => {
  const written = mutable(document);
  const published: JSONDocument = written;
  const own: Schemas['Document'] = written;
  expect(isDocument(published), JSON.stringify(isDocument.errors?.slice(-3))).toBe(true);
  expect(printMarkdown(readWireDocument(own, { prompts: promptMarkdown }))).toBe(`## Title

<details open>

<summary>More</summary>

Body

</details>

* [x] Done

<div align="right"><figure><img src="file:f1" alt="" width="320" height="50%"><figcaption><p>Caption</p></figcaption></figure></div>

<table><thead><tr><th align="center">A</th><th data-type="checkbox">B</th></tr></thead><tbody><tr><td>First</td><td>true</td></tr><tr><td>Second</td><td>false</td></tr></tbody></table>

{% prompt description="Plan" %}
\`\`\`markdown
Do it.
\`\`\`
{% endprompt %}

:rocket:[word](#user-content-fn-1)[^1]<button type="button" class="button primary" data-size="small" data-action="ask" data-query="Why?">Ask</button>

***

[^1]: Note
`);
});
