import { describe, expect, test } from 'vitest';
import type { OpenApiDocument, Parameter } from '../../spec/toolchain/document.ts';
import { decode } from '../corpus/typespec/decode.ts';
import { basePath, operationOf } from '../corpus/typespec/operations.ts';
import type { RawRequest } from '../corpus/typespec/raw-request.ts';
import { REASONS } from '../corpus/typespec/reasons.ts';
import { formatProblems, formatTable } from '../corpus/typespec/table.ts';

// The parts of the corpus of TypeSpec's scenarios that need no download.

const numbers = { type: 'array', items: { type: 'integer' } };
const sizes = { type: 'object', additionalProperties: { type: 'integer' } };

function documentOf(path: string, parameters: Parameter[], body?: object): OpenApiDocument {
  const requestBody = { content: { 'multipart/form-data': { schema: body } } };
  const get = { operationId: 'a', parameters, ...(body && { requestBody }) };
  return { openapi: '3.1.0', info: {}, paths: { [path]: { get } } } as OpenApiDocument;
}

function valuesOf(document: OpenApiDocument, request: Partial<RawRequest>) {
  const complete = { method: 'GET', path: '/a', query: [], headers: {}, body: undefined, ...request };
  const matched = operationOf(document, complete, complete.path);
  return matched && decode(document, matched, complete);
}

describe('values of a request are read by the style of their parameter', () => {
  test.each<[path: string, style: string, explode: boolean, schema: object, value: unknown]>([
    ['/a/1,2', 'simple', false, numbers, [1, 2]],
    ['/a/x=1,y=2', 'simple', true, sizes, { x: 1, y: 2 }],
    ['/a/.1.2', 'label', true, numbers, [1, 2]],
    ['/a/.x,1,y,2', 'label', false, sizes, { x: 1, y: 2 }],
    ['/a/;p=1;p=2', 'matrix', true, numbers, [1, 2]],
    ['/a/;p=1,2', 'matrix', false, numbers, [1, 2]],
    ['/a/;x=1;y=2', 'matrix', true, sizes, { x: 1, y: 2 }],
    ['/a/;p=b%20c', 'matrix', false, { type: 'string' }, 'b c'],
  ])('%s', (path, style, explode, schema, value) => {
    const parameter = { name: 'p', in: 'path', required: true, style, explode, schema } as Parameter;
    expect(valuesOf(documentOf('/a/{p}', [parameter]), { path })?.path).toEqual({ p: value });
  });

  test('in queries, headers and forms', () => {
    const parameters = [
      { name: 'ids', in: 'query', schema: numbers },
      { name: 'sizes', in: 'query', schema: sizes },
      { name: 'words', in: 'query', style: 'pipeDelimited', explode: false, schema: { type: 'array' } },
      { name: 'X-Flags', in: 'header', schema: { type: 'array', items: { type: 'boolean' } } },
    ] as Parameter[];
    const place = { type: 'object', properties: { x: { type: 'integer' } } };
    const document = documentOf('/a', parameters, {
      type: 'object',
      properties: { place, count: { type: 'integer' }, notes: { type: 'array', items: { type: 'string' } } },
    });
    const form = new FormData();
    for (const [name, text] of Object.entries({ place: '{"x":1}', count: '2', notes: '3' })) {
      form.append(name, text);
    }
    expect(
      valuesOf(document, {
        query: [
          ['ids', '1'],
          ['ids', '2'],
          ['words', 'a|b'],
          ['w', '3'],
        ],
        headers: { 'x-flags': 'true,false', authorization: 'Bearer a' },
        body: { contentType: 'multipart/form-data', form },
      }),
    ).toMatchObject({
      query: { ids: [1, 2], words: ['a', 'b'], sizes: { w: 3 } },
      header: { 'X-Flags': [true, false] },
      otherHeaders: { authorization: 'Bearer a' },
      body: { place: { x: 1 }, count: 2, notes: ['3'] },
    });
  });
});

test('the variables of a server are replaced by their default or the version', () => {
  const version = { default: '', enum: ['v1', 'v2', 'v3'] };
  const servers = [{ url: '{endpoint}/b/{kind}/{version}', variables: { version, kind: { default: 'c' } } }];
  const document = { ...documentOf('/a', []), servers };
  expect(basePath(document, 'v2')).toBe('/b/c/v2');
  expect(basePath({ ...document, servers: [{ url: 'http://localhost:3000/d/' }] } as never, 'v2')).toBe('/d');
});

describe('the table of scenarios', () => {
  const [listed = ''] = Object.keys(REASONS).filter((name) => REASONS[name]?.router && REASONS[name].client);
  const resultOf = (name: string, router: string[], client: string[]) => [
    { name: 'spec', generate: [], types: [], scenarios: [{ name, router, client }] },
  ];
  const explained = 'No operation has the method and path GET /a.';

  test('counts what fails with a listed reason', () => {
    const results = resultOf(listed, [explained], [explained]);
    expect(formatProblems(results)).toEqual([]);
    expect(formatTable(results)).toMatch(
      /total 1 +1 +1\/1 +1\/1 +0 passed, 1 with a reason +0 passed, 1 with a/,
    );
  });

  test('reports other problems, and reasons of what passes', () => {
    expect(formatProblems(resultOf(listed, ['status: other'], []))).toEqual([
      `${listed}: router: status: other`,
      `${listed}: client: passes. Remove its reason from reasons.ts.`,
    ]);
    expect(formatProblems(resultOf('Other', ['a'], []))).toEqual(['Other: router: a']);
  });
});
