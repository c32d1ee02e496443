import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import { explained, schemaDifferences, schemasIn } from '../../support/contract/schema-comparison.ts';

const require = createRequire(import.meta.url);

/** The schemas that the types of the public package are generated from. */
const published = { name: 'public', schemas: schemasIn(require('@gitbook/api/spec/openapi.json')) };
const own = { name: 'own', schemas: schemasIn(readContract()) };

const LIMITED = 'Requests are limited.';
const IDENTIFIER = 'No identifier has other characters.';
const NESTED = 'Markdown can nest it. Public readers display every block and inline node everywhere.';
const WRITTEN =
  'What the public properties cannot represent is returned in addition: the Markdown is unchanged.';
const UNKNOWN = 'Markdown can contain it. Public readers ignore unknown nodes and marks.';
const INCOMPLETE = 'A tag can lack it. Public readers display nothing then.';
const ALWAYS = 'Responses always contain it; requests can omit it.';
const FILLED = 'Responses contain an empty paragraph; requests can omit it.';
const UNWRITABLE = 'Markdown cannot represent it.';
const OWN_SPACE = 'Files and topics belong to the space with the document.';
const NO_TOKEN = 'References to other spaces require no token.';
const NO_TOPICS = 'Topics are not pages; only entries of a changelog refer to them.';
const INTEGER = 'Only integers are written.';
const COLUMN = 'Columns of every type can be aligned, and have options in Markdown.';

/**
 * Differences between the documents of the contract and those of the public package, and their reasons. `*` is any
 * text. The name before the difference is the side that has it, or requires it.
 */
const DIFFERENCES: Readonly<Record<string, string>> = {
  '*: own: maxLength *': LIMITED,
  '*: own: format int32': LIMITED,
  '*: own: pattern ^[a-zA-Z0-9_-]+$': IDENTIFIER,
  '*.icon: public: *': 'Every icon of pages can be used; unknown ones are not displayed.',
  'block heading-*.data.id: public: pattern *':
    'Anchors can have other characters, such as letters of other scripts.',
  '*.attributes: own: property': WRITTEN,
  '*.formattedTitle: own: property': WRITTEN,
  '*.allColumns: own: property': WRITTEN,
  '*.css: own: property': WRITTEN,
  '*.data.source: own: property': WRITTEN,
  'block content-ref.data.title: own: property': WRITTEN,
  'block list-*.data.start: own: property': 'One schema describes all lists; only ordered ones have it.',
  'inline *.data.title: own: property': WRITTEN,
  'inline mention.data.label: own: property': WRITTEN,
  'inline emoji.data.name: own: property': WRITTEN,
  'fragment.cell: own: property': WRITTEN,
  'leaf.raw: own: property': WRITTEN,
  'leaf.marks[]: own: *': UNKNOWN,
  '*nodes[]: own: object block *': NESTED,
  '*nodes[]: own: object inline *': NESTED,
  '*.href: own: property': 'URL of the target, for readers that do not resolve references.',
  'block *.fragments: own: property':
    'Public readers display captions of them, and ignore the blocks of prompts.',
  'block paragraph.data.problem: own: property': 'Reason why Markdown is not converted to blocks.',
  'document.data.conditionProblems: own: property': 'Conditions that cannot be evaluated.',
  'document.meta: public: property': NO_TOKEN,
  'block *.meta: public: property': NO_TOKEN,
  'block file.data.ref: own: object url':
    'A link that is broken, or leads to another host, is returned as a URL.',
  'block drawing.data.ref: own: object url':
    'A link that is broken, or leads to another host, is returned as a URL.',
  'block reusable-content.data.ref: own: object *': 'A link that is broken is returned as a URL.',
  'block drawing.data.ref: own: required': 'A drawing without a file is not displayed.',
  'block *.data.ref: public: required': INCOMPLETE,
  'block *.data.method: public: required': ALWAYS,
  'block *.data.path: public: required': ALWAYS,
  'block openapi-webhook.data.name: public: required': ALWAYS,
  'block prompt.data.description: public: required': ALWAYS,
  'block updates.data.format: public: required': ALWAYS,
  'block list-ordered.data: public: required': ALWAYS,
  'fragment expandable-*.fragment: public: required': ALWAYS,
  'fragment *.nodes: public: minItems 1': FILLED,
  'fragment expandable-title.nodes: public: maxItems 1': 'Requests can contain more, which are ignored.',
  'block prompt.nodes: public: *': 'A prompt in another prompt has no code: it is part of the outer one.',
  'block update.data.date: public: format date-time':
    'A date can be written as any text. Public readers omit the entry.',
  'block *.data.headless: public: property': 'Set for computed pages only, which have no block of this kind.',
  'block integration.data.*: public: *': 'Tags have attributes, which are texts.',
  'block code-line.nodes[]: public: *': UNWRITABLE,
  'block table.data.cellMerges: public: property': UNWRITABLE,
  'block table.data.records.*.objectFit: public: property': UNWRITABLE,
  'block *.unit: public: string': 'No reader knows other units.',
  'block list-ordered.data.start: public: number': INTEGER,
  'rating.max: public: number': INTEGER,
  '*: public: object tag': NO_TOPICS,
  '*.space: public: property': OWN_SPACE,
  '*.options: own: property': COLUMN,
  '*.textAlignment: own: property': COLUMN,
  '*.verticalAlignment: own: property': COLUMN,
  'fragment annotation-body.fragment: public: string': 'Notes have one fragment, whose name is its type.',
  'fragment.nodes[]: public: object block *': 'Blocks that only another block can contain are not in cells.',
};

test('documents have the types of the public package, except for reasons', () => {
  const roots = {
    left: { $ref: '#/components/schemas/Document' },
    right: { $ref: '#/components/schemas/JSONDocument' },
  };
  const found = schemaDifferences(own, published, roots);
  expect(explained(found, DIFFERENCES)).toEqual({ unexplained: [], obsolete: [] });
});
