import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createSchemas } from '../../../server/contract/validation/schemas.ts';
import { document } from '../small-contract.ts';
import { serveSmallContract } from '../small-server.ts';

const sealed = (properties: object, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string', maxLength: 5 };
const fetched = sealed({ name: text, url: text }, ['name', 'url']);
const inline = sealed({ name: text, base64: text }, ['name', 'base64']);

const schemas = {
  Fetched: fetched,
  Inline: inline,
  File: { oneOf: [ref('Fetched'), ref('Inline')] },
  Files: sealed({ files: { type: 'array', items: ref('File') } }, ['files']),
  Either: { anyOf: [fetched, inline] },
  Overlapping: { oneOf: [{ type: 'string' }, text] },
  Role: { type: 'string', enum: ['read', 'edit'] },
  Nullable: { anyOf: [ref('Role'), { type: 'null' }] },
  Invitee: { oneOf: [text, sealed({ email: text, role: ref('Role') }, ['email'])] },
  Spec: sealed({ type: { const: 'spec' }, id: text }, ['type', 'id']),
  Other: sealed({ type: { type: 'string', pattern: '^other:' }, props: { type: 'object' } }, [
    'type',
    'props',
  ]),
  Source: { oneOf: [ref('Spec'), ref('Other')] },
  Base: { type: 'object', properties: { id: text }, required: ['id'] },
  Composed: {
    oneOf: [
      {
        allOf: [ref('Base'), { properties: { circle: text }, required: ['circle'] }],
        unevaluatedProperties: false,
      },
      {
        allOf: [ref('Base'), { properties: { square: text }, required: ['square'] }],
        unevaluatedProperties: false,
      },
    ],
  },
  Nested: { oneOf: [{ type: 'array', items: ref('File') }, ref('Source')] },
};
const contract = structuredClone(document);
Object.assign(contract.components?.schemas ?? {}, schemas);
const check = createSchemas(contract);
const faults = (name: string, value: unknown) =>
  check(name, value).map(({ path, message }) => `${path}: ${message}`);

describe('a union without a common tag', () => {
  test.each([
    ['File', { name: 'a', url: 'b' }],
    ['File', { name: 'a', base64: 'b' }],
    ['Either', { name: 'a', base64: 'b' }],
    ['Nullable', null],
    ['Nullable', 'read'],
    ['Invitee', { email: 'a' }],
    ['Invitee', 'a'],
    ['Source', { type: 'spec', id: 'a' }],
    ['Source', { type: 'other:x', props: {} }],
    ['Composed', { id: 'a', square: 'b' }],
    ['Nested', [{ name: 'a', base64: 'b' }]],
    ['Nested', { type: 'spec', id: 'a' }],
  ])('accepts each alternative: %s %j', (name, value) => {
    expect(faults(name, value)).toEqual([]);
  });

  test.each([
    ['File', { name: 'a', base64: 'too long' }, ['base64: must NOT have more than 5 characters']],
    ['File', { base64: 'a' }, ['name: is required']],
    ['File', { name: 'a', base64: 'b', more: 1 }, ['more: is not a known field']],
    ['File', { name: 'a' }, [': must have the field url or base64']],
    ['File', {}, [': must have the field url or base64']],
    ['File', 7, [': must be object']],
    ['Either', { name: 'a', base64: 7 }, ['base64: must be string']],
    [
      'Files',
      {
        files: [
          { name: 'a', url: 'b' },
          { base64: 'too long', name: 'c' },
        ],
      },
      ['files.1.base64: must NOT have more than 5 characters'],
    ],
    ['Files', { files: [{ name: 'a' }] }, ['files.0: must have the field url or base64']],
    ['Nullable', 'admin', [': must be equal to one of the allowed values']],
    ['Nullable', 7, [': must be string or null']],
    ['Invitee', 'too long', [': must NOT have more than 5 characters']],
    ['Invitee', { email: 'a', role: 'owner' }, ['role: must be equal to one of the allowed values']],
    ['Invitee', [], [': must be string or object']],
    ['Source', { type: 'spec', name: 'a' }, ['id: is required', 'name: is not a known field']],
    ['Source', { type: 'other:x', id: 'a' }, ['props: is required', 'id: is not a known field']],
    ['Composed', { square: 'a' }, ['id: is required']],
    ['Composed', { id: 'a', square: 7 }, ['square: must be string']],
    ['Nested', [{ name: 'a', base64: 7 }], ['0.base64: must be string']],
    ['Nested', { type: 'spec' }, ['id: is required']],
    ['Overlapping', 'a', [': must match only one of the alternatives']],
  ])('reports the faults of the alternative that a value resembles: %s %j', (name, value, expected) => {
    expect(faults(name, value).toSorted()).toEqual(expected.toSorted());
  });

  test('is validated as in JSON Schema for values of any form', () => {
    const values: unknown[] = [
      null,
      7,
      'a',
      {},
      { name: 'a', url: 'b', base64: 'c' },
      { type: 'spec' },
      { __proto__: null, constructor: 1, toString: 2 },
      { type: 'other:'.repeat(1000), props: {} },
    ];
    for (const name of ['File', 'Either', 'Source', 'Nested', 'Composed']) {
      for (const value of values.slice(0, -1)) {
        expect(faults(name, value).length, `${name} ${JSON.stringify(value)}`).toBeGreaterThan(0);
      }
    }
    expect(faults('Source', values.at(-1))).toEqual([]);
  });
});

test('a large value is reported with the first fault of the alternative that it resembles', () => {
  const name = 'x'.repeat(70_000);
  expect(faults('File', { name, base64: 'too long' })).toHaveLength(1);
  expect(faults('Files', { files: [{ name, more: 1, base64: 'a' }] })).toEqual([
    expect.stringMatching(/^files\.0\.(?:more|name): /),
  ]);
});

describe('the unions of the platform', () => {
  const platform = createSchemas(JSON.parse(readFileSync('generated/openapi.json', 'utf8')));
  const paths = (name: string, value: unknown) => platform(name, value).map(({ path }) => path);

  test('report against the body of a page that was sent', () => {
    const nodes = [{ object: 'block', type: 'paragraph' }];
    expect(paths('DocumentInput', { markdown: 7 })).toEqual(['markdown']);
    expect(paths('DocumentInput', { object: 'document', data: {}, nodes: 7 })).toEqual(['nodes']);
    for (const path of paths('DocumentInput', { object: 'document', data: {}, nodes })) {
      expect(path).toMatch(/^nodes\.0\./);
    }
    expect(platform('DocumentInput', {})).toEqual([
      { in: 'body', path: '', message: 'must have the field markdown or object' },
    ]);
  });

  test('report against the file, the invitation and the source that was sent', () => {
    expect(paths('NewFile', { name: 'a.png', base64: '?' })).toEqual(['base64']);
    expect(paths('Invitee', { email: 'nobody', role: 'read' })).toEqual(['email']);
    expect(paths('LinkInviteCreate', { level: 'read' })).not.toContain('role');
    expect(paths('OpenAPISource', { url: 7 })).toEqual(['url']);
  });
});

test('an unknown query parameter is rejected with those that exist', async () => {
  const { send } = await serveSmallContract();
  const message = async (path: string) => (await (await send('GET', path)).json()).error.details;
  expect(await message('/v1/widgets?limt=5')).toEqual([
    {
      in: 'query',
      path: 'limt',
      message: 'is not a known parameter (known: limit, page, nested, sort, since, tags, scores, title)',
    },
  ]);
  expect(await message('/v1/widgets/a?limit=5')).toEqual([
    { in: 'query', path: 'limit', message: 'is not a known parameter (the operation has none)' },
  ]);
});
