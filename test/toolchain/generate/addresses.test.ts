import { describe, expect, test } from 'vitest';
import { receivedDocument } from '../../../spec/toolchain/documents/read.ts';
import { formatProblem } from '../../../spec/toolchain/problem.ts';

/** Reads a document with schemas; returns these and the problems. */
async function schemasOf(schemas: object, openapi = '3.1.0') {
  const text = JSON.stringify({
    openapi,
    info: { title: 'Addresses', version: '1' },
    paths: {},
    components: { schemas },
  });
  const { root, problems } = await receivedDocument('a.json', text);
  // The document above has these members.
  const { components } = root as { components: { schemas: Record<string, unknown> } };
  return { schemas: components.schemas, problems: problems.map(formatProblem) };
}

const ITEM = '#/components/schemas/Item';
const code = { type: 'string', maxLength: 5 };

describe('references to schemas by their address', () => {
  test.each<[string, object, unknown]>([
    ['an anchor', { Item: { $anchor: 'item', ...code }, Use: { $ref: '#item' } }, { $ref: ITEM }],
    [
      'an anchor inside of a schema',
      { Item: { properties: { code: { $anchor: 'code', ...code } } }, Use: { items: { $ref: '#code' } } },
      { items: { $ref: `${ITEM}/properties/code` } },
    ],
    [
      'an absolute address',
      {
        Item: { $id: 'https://schemas.example/item', ...code },
        Use: { $ref: 'https://schemas.example/item' },
      },
      { $ref: ITEM },
    ],
    ['a relative address', { Item: { $id: '/item', ...code }, Use: { $ref: 'item' } }, { $ref: ITEM }],
    [
      'an address relative to that of the schema around it',
      {
        Item: { $id: 'https://schemas.example/a/item', ...code },
        Use: { $id: 'https://schemas.example/a/use', items: { $ref: 'item' } },
      },
      { items: { $ref: ITEM } },
    ],
    [
      'an anchor in another schema with an address',
      {
        Item: { $id: 'https://schemas.example/item', $defs: { code: { $anchor: 'code', ...code } } },
        Use: { $ref: 'https://schemas.example/item#code' },
      },
      { $ref: `${ITEM}/$defs/code` },
    ],
    [
      'a pointer within the schema that has the address',
      {
        Item: {},
        Use: { $id: 'https://schemas.example/use', $defs: { code }, items: { $ref: '#/$defs/code' } },
      },
      { $defs: { code }, items: { $ref: '#/components/schemas/Use/$defs/code' } },
    ],
    [
      'a pointer in the document, although a schema with an address is around it',
      { Item: code, Use: { $id: 'https://schemas.example/use', items: { $ref: ITEM } } },
      { items: { $ref: ITEM } },
    ],
    [
      'the schema around it',
      { Use: { $id: 'https://schemas.example/use', items: { $ref: '#' } } },
      { items: { $ref: '#/components/schemas/Use' } },
    ],
    [
      'a dynamic anchor that is the only one of its name',
      { Use: { $dynamicAnchor: 'node', items: { $dynamicRef: '#node' } } },
      { items: { $ref: '#/components/schemas/Use' } },
    ],
    [
      'a pointer through another reference',
      {
        Item: { properties: { code } },
        Other: { $ref: ITEM },
        Use: { $ref: '#/components/schemas/Other/properties/code' },
      },
      { $ref: `${ITEM}/properties/code` },
    ],
    [
      'an address in an example, which is data',
      { Item: { $id: 'https://schemas.example/item' }, Use: { example: { $ref: 'item', $id: 'a' } } },
      { example: { $ref: 'item', $id: 'a' } },
    ],
    [
      'properties of these names',
      { Use: { properties: { $id: code, $anchor: code, $ref: code } } },
      { properties: { $id: code, $anchor: code, $ref: code } },
    ],
  ])('become pointers: %s', async (_name, given, expected) => {
    const { schemas, problems } = await schemasOf(given);
    expect(problems).toEqual([]);
    expect(schemas.Use).toEqual(expected);
  });

  test('are not resolved if several schemas have the dynamic anchor', async () => {
    const node = { $dynamicAnchor: 'node', items: { $dynamicRef: '#node' } };
    const { schemas } = await schemasOf({ One: node, Other: node });
    expect(schemas).toEqual({ One: node, Other: node });
  });

  test.each(['#none', 'https://schemas.example/none', '#/components/schemas/Use/properties/a'])(
    'are an error if there is no target: %s',
    async ($ref) => {
      const { problems } = await schemasOf({ Use: { $id: 'https://schemas.example/use', items: { $ref } } });
      expect(problems).toEqual([expect.stringMatching(/ error reference: .*does not resolve/)]);
    },
  );

  test('do not exist in OpenAPI 3.0, where the keywords are ignored', async () => {
    const { schemas, problems } = await schemasOf(
      { Use: { $id: 'https://schemas.example/use', items: { $ref: '#/components/schemas/Use' } } },
      '3.0.3',
    );
    expect({ schemas, problems }).toEqual({
      schemas: { Use: { items: { $ref: '#/components/schemas/Use' } } },
      problems: [],
    });
  });
});

test.each(['3.0.3', '2.0'])(
  'a reference to what is next to a reference has a target in %s, which ignores it',
  async (version) => {
    const group = version === '2.0' ? '#/definitions' : '#/components/schemas';
    const schemas = {
      Item: { type: 'object' },
      Thing: { $ref: `${group}/Item`, properties: { code } },
      Use: { type: 'array', items: { $ref: `${group}/Thing/properties/code` } },
    };
    const text = JSON.stringify({
      ...(version === '2.0'
        ? { swagger: version, definitions: schemas }
        : { openapi: version, components: { schemas } }),
      ...{ info: { title: 'Addresses', version: '1' }, paths: {} },
    });
    const { root, problems } = await receivedDocument('a.json', text);
    expect(problems).toEqual([]);
    expect(root.components).toMatchObject({
      schemas: { Use: { items: { $ref: '#/components/schemas/code' } }, code },
    });
  },
);
