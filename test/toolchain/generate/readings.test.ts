import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { receivedDocument } from '../../../spec/toolchain/documents/read.ts';
import { normalize } from '../../../spec/toolchain/normalize/normalize.ts';

// What a document declares in a way that requests cannot have.

/** Normalizes a document. Returns its paths and schemas, and what was reported. */
async function normalizedDocument(members: object) {
  const info = { title: 'Readings', version: '1' };
  const text = JSON.stringify({ openapi: '3.1.0', info, paths: {}, ...members });
  const { root, problems } = await receivedDocument('a.json', text);
  expect(problems).toEqual([]);
  const messages: string[] = [];
  // The reader validates what the type promises.
  const document = normalize(root as unknown as OpenApiDocument, (message) => messages.push(message));
  return { paths: document.paths, schemas: document.components?.schemas, messages };
}

async function normalized(paths: object): Promise<{ paths: object; messages: string[] }> {
  const { paths: result, messages } = await normalizedDocument({ paths });
  return { paths: result, messages };
}

const done = { responses: { 204: { description: 'Done.' } } };
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const query = (name: string, schema: object) => ({ name, in: 'query', required: true, schema });

describe('a path with a query or a fragment', () => {
  test.each<[string, string, object, string, object]>([
    ['a fragment', '/tags/{id}#keys', { get: done }, '/tags/{id}', { parameters: [inPath('id')] }],
    [
      'a query with undeclared parameters',
      '/trips?page={page}&size={count}',
      { get: done },
      '/trips',
      { parameters: [query('page', { type: 'string' }), query('size', { type: 'string' })] },
    ],
    [
      'a query with parameters that are declared in the path',
      '/trips?page={page}',
      { get: { ...done, parameters: [{ ...inPath('page'), schema: { type: 'integer' } }] } },
      '/trips',
      { parameters: [query('page', { type: 'integer' })] },
    ],
    [
      'a query with a declared parameter',
      '/trips?page={page}',
      { get: { ...done, parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }] } },
      '/trips',
      { parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }] },
    ],
    [
      'a query with a value',
      '/trips?view=full',
      { parameters: [{ name: 'X-A', in: 'header' }], get: done },
      '/trips',
      { parameters: [{ name: 'X-A', in: 'header' }, query('view', { type: 'string', enum: ['full'] })] },
    ],
    [
      'an expression of a query',
      '/trips{?page,size*}',
      { get: done },
      '/trips',
      {
        parameters: ['page', 'size'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
      },
    ],
  ])('is read without it: %s', async (_name, path, item, expected, parts) => {
    const { paths, messages } = await normalized({ [path]: item });
    expect(paths).toEqual({ [expected]: { get: { ...done, ...parts } } });
    expect(messages).toEqual([expect.stringContaining(`GET ${path} is read as ${expected}`)]);
  });

  test('joins the operations with other methods', async () => {
    const { paths } = await normalized({ '/trips': { post: done }, '/trips#list': { get: done } });
    expect(paths).toEqual({ '/trips': { post: done, get: done } });
  });

  test.each<[string, object]>([
    ['the path', { '/trips/{a}': { get: { ...done, parameters: [inPath('a')] } } }],
    ['another fragment', { '/trips/{id}#other': { get: { ...done, parameters: [inPath('id')] } } }],
  ])('remains if %s has the same method', async (_name, other) => {
    const paths = { '/trips/{id}#one': { get: { ...done, parameters: [inPath('id')] } }, ...other };
    expect(await normalized(paths)).toEqual({ paths, messages: [] });
  });
});

describe('media types that differ in parameters only', () => {
  const content = (members: object) => ({
    '/a': { get: { responses: { 200: { description: 'OK.', content: members } } } },
  });
  const [text, number] = [{ type: 'string' }, { type: 'number' }];

  test.each<[string, object, object]>([
    [
      'two schemas',
      {
        'application/json; v=1': { schema: text },
        'Application/JSON;v=2': { schema: number },
        'a/b': { schema: text },
      },
      { 'application/json; v=1': { schema: { anyOf: [text, number] } }, 'a/b': { schema: text } },
    ],
    [
      'a schema and examples',
      { 'a/b': { example: 'x' }, 'a/b; charset=utf-8': { schema: text } },
      { 'a/b': { example: 'x', schema: text } },
    ],
  ])('are combined: %s', async (_name, given, expected) => {
    const { paths, messages } = await normalized(content(given));
    expect(paths).toEqual(content(expected));
    expect(messages).toEqual([
      expect.stringMatching(/^#\/paths\/~1a\/get\/responses\/200\/content declares /),
    ]);
  });

  test('remain if they have the same schema', async () => {
    const paths = content({ 'a/b': { schema: text }, 'a/b; charset=utf-8': { schema: text } });
    expect(await normalized(paths)).toEqual({ paths, messages: [] });
  });
});

test('parameters for headers that OpenAPI ignores are not required', async () => {
  const header = (name: string) => ({ name, in: 'header', required: true, schema: { type: 'string' } });
  const { paths } = await normalized({
    '/a': { get: { ...done, parameters: [header('authorization'), header('X-Key')] } },
  });
  const { required, ...ignored } = header('authorization');
  expect(paths).toEqual({ '/a': { get: { ...done, parameters: [ignored, header('X-Key')] } } });
});

describe('a schema that applies itself to the same value', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const text = { type: 'string' };

  test.each<[string, object, object]>([
    ['its own alternative', { A: { oneOf: [ref('A'), text] } }, { A: { oneOf: [text] } }],
    [
      'an alternative of its alternative',
      { A: { anyOf: [ref('B'), text] }, B: { oneOf: [ref('A')], title: 'B' } },
      { A: { anyOf: [ref('B'), text] }, B: { title: 'B' } },
    ],
    [
      'its own part',
      { A: { allOf: [ref('B'), text] }, B: { allOf: [ref('A')], title: 'B' } },
      { A: { allOf: [ref('B'), text] }, B: { title: 'B' } },
    ],
    [
      'its own alternative by another name',
      { A: { anyOf: [ref('B'), text] }, B: ref('A') },
      { A: { anyOf: [text] }, B: ref('A') },
    ],
    ['its own opposite', { A: { not: ref('A'), title: 'A' } }, { A: { title: 'A' } }],
  ])('loses this reference: %s', async (_name, schemas, expected) => {
    const result = await normalizedDocument({ components: { schemas } });
    expect(result.schemas).toEqual(expected);
    expect(result.messages).toEqual([expect.stringContaining('so that this is ignored')]);
  });

  test('is meant if its variants extend it, or if it is the schema of a property or an item', async () => {
    const schemas = {
      Base: { type: 'object', oneOf: [ref('One')] },
      One: { allOf: [ref('Base'), { properties: { next: { anyOf: [ref('One'), { type: 'null' }] } } }] },
      List: { type: 'array', items: ref('List') },
    };
    const result = await normalizedDocument({ components: { schemas } });
    expect(result).toMatchObject({ schemas, messages: [] });
  });
});
