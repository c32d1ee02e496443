import { describe, expect, test } from 'vitest';
import { parseData } from '../../../spec/toolchain/documents/parse.ts';
import { receivedDocument } from '../../../spec/toolchain/documents/read.ts';
import { formatProblem } from '../../../spec/toolchain/problem.ts';

const HEAD = 'info: { title: T, version: "1" }';

/** Reads a document of one operation and one schema. */
async function read({ version = '3.0.3', operation = '{}', schema = '{}', rest = '' }) {
  const text = `openapi: ${version}
${HEAD}
paths:
  /a:
    get: ${operation}
components:
  schemas:
    It: ${schema}
${rest}`;
  const { root, problems } = await receivedDocument('a.yaml', text);
  return { root, problems: problems.map(formatProblem) };
}

describe('the structure of a document', () => {
  test.each([
    ['a list as schema', { schema: '[{ type: string }]' }, 'a.yaml:8:5', 'must be a schema, but is a list'],
    ['text as schema', { schema: 'string' }, 'a.yaml:8:5', 'must be a schema, but is "string"'],
    ['a list as operation', { operation: '[]' }, 'a.yaml:5:5', 'must be an operation, but is a list'],
    ['text as parameter', { operation: '{ parameters: [limit] }' }, 'a.yaml:5:25', 'must be a parameter'],
    ['a map as parameters', { operation: '{ parameters: { a: {} } }' }, 'a.yaml:5:12', 'must be a list'],
    ['text as response', { operation: '{ responses: { 200: Yes } }' }, 'a.yaml:5:25', 'must be a response'],
    [
      'a parameter without a name',
      { operation: '{ parameters: [{ in: query }] }' },
      'a.yaml:5:25',
      'the name',
    ],
    [
      'a reference without a target',
      { schema: '{ items: { $ref: "#/components/schemas/No" } }' },
      'a.yaml:8:20',
      'Reference #/components/schemas/No does not resolve',
    ],
    [
      'a reference to itself',
      { schema: '{ $ref: "#/components/schemas/It" }' },
      'a.yaml:8:11',
      'is circular',
    ],
    [
      'a reference to another kind of component',
      { operation: '{ parameters: [{ $ref: "#/components/schemas/It" }] }' },
      'a.yaml:5:27',
      'refers to a schema, but a parameter is required',
    ],
    [
      'a reference into what is no schema',
      { schema: '{ $ref: "#/info/title" }' },
      'a.yaml:2:9',
      'must be a schema, but is "T"',
    ],
  ])('is an error with its place for %s', async (_name, parts, place, message) => {
    const { problems } = await read(parts);
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toMatch(new RegExp(`^${place} error `));
  });

  test('reports all places at once, with lines in JSON too', async () => {
    const text =
      '{ "openapi": "3.1.0",\n "info": {},\n "paths": { "/a": [] },\n "components": { "schemas": {\n  "A": 1, "B": [] } } }';
    const { problems } = await receivedDocument('a.json', text);
    expect(problems.filter(({ severity }) => severity === 'error').map(formatProblem)).toEqual([
      expect.stringMatching(/^a\.json:3:13 error structure: #\/paths\/~1a: /),
      expect.stringMatching(/^a\.json:5:3 error structure: #\/components\/schemas\/A: /),
      expect.stringMatching(/^a\.json:5:11 error structure: #\/components\/schemas\/B: /),
    ]);
  });

  test.each([
    ['type: any', '{ type: any, title: x }', { title: 'x' }],
    ['a type in capitals', '{ type: String }', { type: 'string' }],
    ['type: file', '{ type: file }', { type: 'string', format: 'binary' }],
    ['a boolean as required', '{ required: true, type: string }', { type: 'string' }],
    ['text as required', '{ required: id }', { required: ['id'] }],
    ['text as a number', '{ maxLength: "5" }', { maxLength: 5 }],
    ['a list as description', '{ description: [a] }', {}],
    ['a number as title', '{ title: 1.5 }', { title: '1.5' }],
    ['an empty composition', '{ allOf: [] }', {}],
    ['an empty list as properties', '{ properties: [] }', { properties: {} }],
    ['a single schema in a list', '{ items: [{ type: string }] }', { items: { type: 'string' } }],
    [
      'a tuple of Draft 4',
      '{ items: [{ type: string }, { type: integer }], additionalItems: false }',
      { prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    ],
    ['text as discriminator', '{ discriminator: kind }', { discriminator: { propertyName: 'kind' } }],
    ['an enum that contradicts its type', '{ type: object, enum: [a] }', { enum: ['a'] }],
    ['null as properties', '{ properties: null }', { properties: {} }],
    ['names that YAML reads as other values', '{ required: [1, true, a] }', { required: ['1', 'true', 'a'] }],
    ['names that are none', '{ required: ["", a, {}] }', { required: ['a'] }],
    ['numbers of text', '{ type: string, enum: [1, true, a] }', { type: 'string', enum: ['1', 'true', 'a'] }],
    [
      'text of numbers',
      '{ type: [integer, "null"], enum: ["1", 2, null, x] }',
      { type: ['integer', 'null'], enum: [1, 2, null, 'x'] },
    ],
    ['text of flags', '{ type: boolean, enum: ["true"] }', { type: 'boolean', enum: [true] }],
    [
      'an enum of several types',
      '{ type: [integer, string], enum: ["1"] }',
      { type: ['integer', 'string'], enum: ['1'] },
    ],
  ])('repairs %s in a schema', async (_name, schema, expected) => {
    const { root, problems } = await read({ schema });
    expect(problems.filter((problem) => !problem.includes(' warning '))).toEqual([]);
    expect(root.components).toEqual({ schemas: { It: expected } });
  });

  test('reads keywords of 3.0 in a document of 3.1 as in 3.0, with a warning', async () => {
    const { root, problems } = await read({
      version: '3.1.0',
      schema: '{ type: integer, nullable: true, minimum: 0, exclusiveMinimum: true }',
    });
    expect(root.components).toEqual({
      schemas: { It: { type: ['integer', 'null'], exclusiveMinimum: 0 } },
    });
    expect(problems).toEqual([expect.stringContaining('keyword of OpenAPI 3.0')]);
  });

  test.each([
    [
      'parameters that are repeated',
      '{ parameters: [{ name: a, in: query, schema: { type: string } }, { name: a, in: query, schema: { type: integer } }] }',
      { parameters: [{ name: 'a', in: 'query', schema: { type: 'integer' } }] },
    ],
    [
      'an optional parameter of a path',
      '{ parameters: [{ name: a, in: Path }] }',
      { parameters: [{ name: 'a', in: 'path', required: true }] },
    ],
    [
      'a parameter as in Swagger 2.0',
      '{ parameters: [{ name: a, in: query, type: string, maximum: 3 }] }',
      { parameters: [{ name: 'a', in: 'query', schema: { type: 'string', maximum: 3 } }] },
    ],
    [
      'a body as in Swagger 2.0',
      '{ parameters: [{ name: a, in: body, schema: { type: string } }] }',
      { parameters: [], requestBody: { content: { 'application/json': { schema: { type: 'string' } } } } },
    ],
    [
      'statuses',
      '{ responses: { 2xx: {}, Default: {}, success: {}, 204: null } }',
      { responses: { '2XX': { description: '' }, default: { description: '' }, 204: { description: '' } } },
    ],
    ['a tag that is no list', '{ tags: pets, operationId: "" }', { tags: ['pets'] }],
    ['a scheme without scopes', '{ security: [{ key: }] }', { security: [{ key: [] }] }],
  ])('repairs %s in an operation', async (_name, operation, expected) => {
    const { root, problems } = await read({ operation });
    expect(problems.filter((problem) => !problem.includes(' warning '))).toEqual([]);
    expect(root.paths).toEqual({ '/a': { get: expected } });
  });

  test.each<[string, string, object]>([
    [
      'a schema as response',
      '{ responses: { 400: { $ref: "#/components/schemas/It" } } }',
      {
        responses: {
          400: {
            description: '',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/It' } } },
          },
        },
      },
    ],
    [
      'a schema as body',
      '{ requestBody: { $ref: "#/components/schemas/It" } }',
      { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/It' } } } } },
    ],
    [
      'a response as schema',
      '{ requestBody: { content: { text/a: { schema: { $ref: "#/components/responses/Text" } } } } }',
      {
        requestBody: {
          content: {
            'text/a': { schema: { $ref: '#/components/responses/Text/content/text~1plain/schema' } },
          },
        },
      },
    ],
    [
      'a response without a body as schema',
      '{ requestBody: { content: { text/a: { schema: { $ref: "#/components/responses/None" } } } } }',
      { requestBody: { content: { 'text/a': { schema: {} } } } },
    ],
    [
      'a parameter as schema',
      '{ requestBody: { content: { text/a: { schema: { $ref: "#/components/parameters/Id" } } } } }',
      { requestBody: { content: { 'text/a': { schema: { $ref: '#/components/parameters/Id/schema' } } } } },
    ],
    [
      'a response as body',
      '{ requestBody: { $ref: "#/components/responses/Text" } }',
      { requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } } },
    ],
  ])('repairs a reference to %s', async (_name, operation, expected) => {
    const rest = `  parameters: { Id: { name: id, in: query, schema: { type: string } } }
  responses: { Text: { content: { text/plain: { schema: { type: string } } } }, None: {} }`;
    const { root, problems } = await read({ operation, rest });
    expect(problems).toEqual([expect.stringMatching(/ warning repaired: .* refers to a .* is required; /)]);
    expect(root.paths).toEqual({ '/a': { get: expected } });
  });

  test('repairs a document without version, title and slashes, and many places with one line', async () => {
    const schemas = Array.from({ length: 30 }, (_, index) => `    S${index}: { type: any }`).join('\n');
    const { root, problems } = await receivedDocument(
      'a.yaml',
      `openapi: 3.0.0\npaths: { a: {} }\ncomponents:\n  schemas:\n${schemas}\n`,
    );
    expect(root).toMatchObject({ info: { title: 'API', version: '0.0.0' }, paths: { '/a': {} } });
    expect(problems.filter(({ message }) => message.includes('"any"'))).toHaveLength(5);
    expect(problems.at(-1)?.message).toContain('at 25 other places');
  });

  test('is read as 3.1 in a document of 3.2, without the operations that only 3.2 has', async () => {
    const { root, problems } = await receivedDocument(
      'a.yaml',
      `openapi: 3.2.0\n${HEAD}\npaths:\n  /a:\n    query: {}\n    get: {}\n    put: { parameters: [{ name: q, in: querystring }] }\n`,
    );
    expect(root).toMatchObject({ openapi: '3.1.0' });
    expect(root.paths).toEqual({ '/a': { get: {} } });
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^a\.yaml:5:5 warning openapi-3\.2: .*"query"/),
      expect.stringMatching(/^a\.yaml:7:5 warning openapi-3\.2: .*"querystring"/),
    ]);
  });
});

describe('YAML and JSON', () => {
  test('have the types of YAML 1.2, with aliases and merge keys', () => {
    const aliases = Array.from({ length: 150 }, () => '*base').join(', ');
    expect(
      parseData(
        'a.yaml',
        `date: 2020-01-01\nanswer: yes\nmode: 017\nbase: &base { a: 1 }\nmerged: { <<: *base, b: 2 }\nlist: [${aliases}]`,
      ),
    ).toEqual({
      date: '2020-01-01',
      answer: 'yes',
      mode: 17,
      base: { a: 1 },
      merged: { a: 1, b: 2 },
      list: Array.from({ length: 150 }, () => ({ a: 1 })),
    });
  });

  test('may begin with a byte order mark', () => {
    expect(parseData('a.json', '\uFEFF{ "a": 1 }')).toEqual({ a: 1 });
    expect(parseData('a.yaml', '\uFEFFa: 1')).toEqual({ a: 1 });
  });

  test.each([
    [
      'in JSON',
      '{ "a": 1,\n  "b": { "c": 1, "\\u0063": 2 } }',
      /"c" twice in one object, at line 2, column 18/,
    ],
    ['in YAML', 'a: 1\nb:\n  c: 1\n  c: 2\n', /Map keys must be unique at line 4/],
  ])('may not contain a member twice %s', (_name, text, message) => {
    expect(() => parseData('a', text)).toThrow(message);
  });

  test.each([
    ['nested too deeply', '['.repeat(600) + ']'.repeat(600), /more than 500 levels/],
    ['nested by aliases', 'a: &a [*a]', /more than 500 levels|neither JSON nor YAML/],
    [
      'multiplied by aliases',
      Array.from(
        { length: 12 },
        (_, n) =>
          `a${n}: &a${n} [${Array(10)
            .fill(n === 0 ? 'x' : `*a${n - 1}`)
            .join(', ')}]`,
      ).join('\n'),
      /Excessive alias count/,
    ],
  ])('may not be %s', (_name, text, message) => {
    expect(() => parseData('a', text)).toThrow(message);
  });
});
