import { expect, test } from 'vitest';
import { createLinks } from '../../../server/contract/docs/layout.ts';
import { operationPage } from '../../../server/contract/docs/pages.ts';
import { readReference } from '../../../server/contract/docs/reference.ts';
import { samplesOf } from '../../../server/contract/docs/samples.ts';
import type { OpenApiDocument } from '../../../server/contract/index.ts';
import { readCurl, sendCurl, shellWords } from '../../support/http/curl.ts';
import { list, map, object, STYLE_TABLE, string } from '../parameters/style-table.ts';
import { operation, serveEcho } from '../parameters/styled-parameters.ts';

const integer = { type: 'integer' };
const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

interface Echo {
  path: object;
  query: object;
  headers: object;
  cookies: object;
  body: unknown;
}

const documentOf = (paths: object, components: object = {}): OpenApiDocument =>
  JSON.parse(JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths, components }));

/** Returns the curl sample of each operation by its id. */
function curlSamples(paths: object, components: object = {}): Map<string, string> {
  const document = documentOf(paths, components);
  return new Map(
    [...readReference(document).operations].map(([id, one]) => [
      id,
      samplesOf(document, one).find(({ label }) => label === 'curl')?.source ?? '',
    ]),
  );
}

/** Sends the sample of each operation to the router, and returns what its handlers received. */
async function received(paths: object): Promise<Map<string, Partial<Echo>>> {
  const { url } = await serveEcho(paths);
  const results = new Map<string, Partial<Echo>>();
  for (const [id, sample] of curlSamples(paths)) {
    const response = await sendCurl(sample, url);
    const text = await response.text();
    expect(response.status, `${sample}\n${text}`).toBe(200);
    results.set(id, text === '' ? {} : JSON.parse(text));
  }
  return results;
}

/** An operation at a path of its own, with a parameter. */
function withParameter(id: string, parameter: { in: string; [keyword: string]: unknown }, path = `/${id}`) {
  const inPath = parameter.in === 'path' && !path.includes('{') ? `${path}/{color}` : path;
  const declared = { name: 'color', required: true, ...parameter };
  return { [inPath]: { get: operation(id, { parameters: [declared] }) } };
}

const PARTS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;

/** Parameters with their example in the sample: what a page shows is what a server receives. */
const PARAMETERS: [location: keyof typeof PARTS, parameter: object, value: unknown][] = [
  ...STYLE_TABLE.map(([location, style, explode, schema, value]): (typeof PARAMETERS)[number] => [
    location,
    { style, explode, schema },
    value,
  ]),
  // Values that their notation has to encode.
  ...(['path', 'query', 'cookie'] as const).flatMap((location): typeof PARAMETERS => [
    [location, { schema: string }, "it's 100% a/b?c=d&e#f;g,h+i{j}[k] é"],
    [location, { schema: list }, ['a,b', 'c d', 'e|f', "'"]],
    [location, { content: { 'application/json': { schema: {} } } }, { a: [1, { b: "it's, é" }] }],
  ]),
  ['header', { schema: string }, "it's; a, b"],
  ['header', { content: { 'application/json': { schema: {} } } }, { a: [1, 'é'] }],
  ['path', { style: 'label', explode: true, schema: list }, ['a.b', 'c']],
  ['path', { style: 'matrix', explode: true, schema: list }, ['a;b', 'c=d']],
  ['query', { style: 'deepObject', schema: { type: 'object' } }, { a: { 'b c': '1' }, d: ['x', 'y'] }],
  [
    'query',
    {
      style: 'deepObject',
      schema: { type: 'object', properties: { tags: { type: 'array', items: object } } },
    },
    { tags: [{ R: 1 }, { G: 2 }] },
  ],
  ['query', { schema: map }, { 'a b': '1', c: '2' }],
  ['query', { allowReserved: true, schema: string }, 'a/b:c?d@e!$&=+#[]{}'],
  ['query', { allowReserved: true, explode: false, schema: list }, ['a/b', 'c,d']],
  ['query', { allowEmptyValue: true, schema: string }, ''],
  ['query', { content: { 'text/plain': { schema: string } } }, 'a b'],
];

test('the samples of parameters in every notation send the values that they show', async () => {
  const paths = Object.assign(
    {},
    ...PARAMETERS.map(([location, parameter, example], index) =>
      withParameter(`get${index}`, { in: location, ...parameter, example }),
    ),
  );
  const results = await received(paths);
  for (const [index, [location, parameter, value]] of PARAMETERS.entries()) {
    expect(results.get(`get${index}`)?.[PARTS[location]], JSON.stringify(parameter)).toEqual({
      color: value,
    });
  }
});

test('samples fill paths with text around parameters, and values of several segments', async () => {
  const path = (more: object = {}) => ({ in: 'path', schema: string, ...more });
  const paths = {
    ...withParameter('text', path({ example: 'a b' }), '/text/{color}.json'),
    ...withParameter('verb', path({ example: 'x' }), '/verb/{color}:run'),
    ...withParameter('plus', path({ example: 'a/b c' }), '/plus/{+color}'),
    ...withParameter('reserved', path({ example: 'a/100%', 'x-allow-reserved': true }), '/reserved/{color}'),
    ...withParameter('umlaut', path({ example: 'é' }), '/größe/{color}'),
    '/two/{a}...{b}': { get: operation('undeclared', {}) },
  };
  const results = await received(paths);
  expect(Object.fromEntries([...results].map(([id, echo]) => [id, echo.path]))).toEqual({
    text: { color: 'a b' },
    verb: { color: 'x' },
    plus: { color: 'a/b c' },
    reserved: { color: 'a/100%' },
    umlaut: { color: 'é' },
    undeclared: { a: 'A', b: 'B' },
  });
});

/** Schemas without examples: the values of samples satisfy them. */
const SCHEMAS: object[] = [
  integer,
  { type: 'integer', minimum: 5, multipleOf: 3 },
  { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 },
  { type: 'number', maximum: -2.5 },
  { type: 'string', maxLength: 2 },
  { type: 'string', pattern: '^[0-9a-f]{24}$' },
  { type: 'string', pattern: '^[a-z-]+$' },
  { type: 'string', format: 'date' },
  { type: 'boolean' },
  { type: ['null', 'integer'] },
  { enum: ['b', 'c'] },
  { type: 'array', items: integer, minItems: 3 },
  { type: 'array', prefixItems: [integer, string], items: false },
  { type: 'object', additionalProperties: integer },
  { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 7 }, b: string } },
  { oneOf: [{ type: 'object', required: ['k'], properties: { k: { const: 'x' } } }, integer] },
];

test('samples without examples have values that the router accepts', async () => {
  const paths = Object.assign(
    {},
    ...SCHEMAS.flatMap((schema, index) =>
      (['path', 'query', 'header', 'cookie'] as const).map((location) =>
        withParameter(`${location}${index}`, { in: location, schema }),
      ),
    ),
    withParameter('deep', { in: 'query', style: 'deepObject', schema: { type: 'object' } }),
  );
  expect((await received(paths)).size).toBe(4 * SCHEMAS.length + 1);
});

test('samples have required parameters and those with an example, and all credentials', () => {
  const parameter = (name: string, more: object) => ({ name, in: 'query', schema: string, ...more });
  const paths = {
    '/a': {
      get: operation('a', {
        parameters: [
          parameter('required', { required: true }),
          parameter('example', { example: 'x' }),
          parameter('other', {}),
          { name: 'Accept', in: 'header', required: true, schema: string },
        ],
        security: [{ Key: [] }],
      }),
    },
  };
  const securitySchemes = { Key: { type: 'apiKey', in: 'cookie', name: 'sid' } };
  expect(shellWords(curlSamples(paths, { securitySchemes }).get('a') ?? '')).toEqual([
    'curl',
    'https://api.example.com/a?required=text&example=x',
    '-b',
    'sid=KEY',
  ]);
});

const item = { type: 'object', required: ['price'], properties: { price: string, count: integer } };
const file = { type: 'string', format: 'binary' };
const form = (properties: object) => ({ type: 'object', properties });

/** Forms: media type, schema, encoding, example. */
const FORMS: [type: string, schema: object, encoding: object, example: unknown][] = [
  [
    URL_ENCODED,
    form({
      name: string,
      tags: list,
      items: { type: 'array', items: item },
      address: form({ city: string }),
    }),
    {},
    {
      name: "it's 100% & é; 'x'",
      tags: ['a,b', 'c d'],
      items: [{ price: 'p', count: 2 }, { price: '@q' }],
      address: { city: 'X' },
    },
  ],
  [
    URL_ENCODED,
    form({ codes: list, labels: list, spaces: list, point: object, data: form({ a: list }), deep: map }),
    {
      codes: { style: 'form', explode: false },
      labels: { style: 'pipeDelimited', explode: false },
      spaces: { style: 'spaceDelimited' },
      point: { style: 'form', explode: true },
      data: { contentType: 'application/json' },
      deep: { style: 'deepObject' },
    },
    {
      codes: ['a,b', 'c'],
      labels: ['l', 'm'],
      spaces: ['s', 't'],
      point: { R: 1, G: 2 },
      data: { a: ['1&2'] },
      deep: { 'k 1': 'v' },
    },
  ],
  [URL_ENCODED, { type: 'object' }, {}, { a: '1', b: { c: '2' }, d: ['3', '4'] }],
  [
    URL_ENCODED,
    { oneOf: [form({ a: { const: 'x' }, n: integer }), { ...form({ a: { const: 'y' } }), required: ['a'] }] },
    {},
    { a: 'x', n: 5 },
  ],
  [
    MULTIPART,
    form({ note: string, code: string, ids: list, meta: item, products: { type: 'array', items: item } }),
    {
      note: { contentType: 'text/csv' },
      code: { contentType: 'application/json' },
      products: { contentType: 'application/json' },
    },
    {
      note: 'x;y "z"',
      code: '"1;2"',
      ids: ['@a', '<b', 'c;type=d'],
      meta: { price: 'a;b "c" \\d' },
      products: [{ price: 'a' }, { price: 'b' }],
    },
  ],
];

test('the samples of forms send the values that they show', async () => {
  const paths = Object.fromEntries(
    FORMS.map(([type, schema, encoding, example], index) => [
      `/${index}`,
      {
        post: operation(`send${index}`, {
          requestBody: { required: true, content: { [type]: { schema, encoding, example } } },
        }),
      },
    ]),
  );
  const results = await received(paths);
  for (const [index, [, , , example]] of FORMS.entries()) {
    expect(results.get(`send${index}`)?.body, curlSamples(paths).get(`send${index}`)).toEqual(example);
  }
});

test('samples of forms without an example have the required fields, with the media types of files', async () => {
  const schema = {
    ...form({ image: file, title: string, list: { type: 'array', items: file } }),
    required: ['image'],
  };
  const media = { schema, encoding: { image: { contentType: 'image/png, image/jpeg' } } };
  const union = {
    allOf: [
      { ...form({ a: integer }), required: ['a'] },
      { ...form({ b: list }), required: ['b'] },
    ],
  };
  const paths = {
    '/image': { post: operation('image', { requestBody: { content: { [MULTIPART]: media } } }) },
    '/all': {
      post: operation('all', {
        requestBody: { required: true, content: { [URL_ENCODED]: { schema: union } } },
      }),
    },
  };
  const samples = curlSamples(paths);
  expect(shellWords(samples.get('image') ?? '').slice(-2)).toEqual(['-F', 'image=@file;type=image/png']);
  const { url } = await serveEcho(paths);
  expect((await sendCurl(samples.get('image') ?? '', url)).status).toBe(200);
  expect((await received(paths)).get('all')?.body).toEqual({ a: 1, b: ['text'] });
});

test('the samples of all methods are sent with the method of the operation', async () => {
  const body = { requestBody: { required: true, content: { 'application/json': { schema: item } } } };
  const paths = {
    '/head': { head: { operationId: 'head', responses: { 200: { description: 'OK.' } } } },
    '/options': { options: operation('options', {}) },
    '/search': { get: operation('search', body), put: operation('put', body), post: operation('post', body) },
    '/lines': {
      post: operation('lines', {
        requestBody: { content: { 'text/plain': { schema: { type: 'string', example: '@file' } } } },
      }),
    },
  };
  const samples = curlSamples(paths);
  const methods = [...samples].map(([id, sample]) => [id, readCurl(sample).method]);
  expect(Object.fromEntries(methods)).toEqual({
    ...{ head: 'HEAD', options: 'OPTIONS', search: 'GET', put: 'PUT', post: 'POST', lines: 'POST' },
  });
  expect(shellWords(samples.get('lines') ?? '').slice(-2)).toEqual(['--data-raw', '@file']);
  const { url } = await serveEcho({ '/options': paths['/options'] });
  expect((await sendCurl(samples.get('options') ?? '', url)).status).toBe(200);
});

/** Renders the page of an operation. */
function pageOf(document: OpenApiDocument, id: string): string {
  const reference = readReference(document);
  const found = reference.operations.get(id);
  return found ? operationPage(reference, found, createLinks('../../', 'assets')) : '';
}

test('pages show how lists and objects are sent, and values that no notation expresses are left out', () => {
  const parameters = [
    { name: 'filter', in: 'query', style: 'deepObject', schema: object },
    { name: 'tags', in: 'query', style: 'pipeDelimited', explode: false, schema: list, example: ['a', 'b'] },
    { name: 'bad', in: 'query', style: 'pipeDelimited', explode: false, schema: list, example: ['a|b'] },
    { name: 'X-Ids', in: 'header', schema: list, required: true, example: ['a,b'] },
    { name: 'plain', in: 'query', schema: string },
  ];
  const document = documentOf({ '/a': { get: operation('a', { parameters }) } });
  const page = pageOf(document, 'a');
  const notations = [...page.matchAll(/Sent as <code>(.*?)<\/code>/g)].map(([, text]) => text);
  expect(notations).toEqual(['filter[R]=1', 'tags=a%7Cb']);
  expect(curlSamples(document.paths).get('a')).toBe("curl 'https://api.example.com/a?tags=a%7Cb'");
});

test('an operation that is not served states the reason on its page', () => {
  const document = documentOf({
    '/a': {
      get: operation('a', { parameters: [{ name: 'x', in: 'query', style: 'simple', schema: list }] }),
    },
    '/b': { get: operation('b', {}) },
  });
  expect(pageOf(document, 'a')).toMatch(/Not served.*501.*the query parameter x has the style simple/s);
  expect(pageOf(document, 'b')).not.toContain('501');
  // A document that is not served at all, such as OpenAPI 3.0, has its pages.
  expect(pageOf({ ...document, openapi: '3.0.3' }, 'a')).not.toContain('501');
});

test('pages of recursive schemas, parameters and forms are bounded', () => {
  const ref = { $ref: '#/components/schemas/Node' };
  const schemas = {
    Node: {
      type: 'object',
      required: ['child', 'list'],
      properties: {
        child: ref,
        list: { type: 'array', items: ref, minItems: 3 },
        map: { additionalProperties: ref },
      },
    },
    Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }] },
    Union: {
      oneOf: [
        { $ref: '#/components/schemas/Union' },
        { anyOf: [{ $ref: '#/components/schemas/Union' }, ref] },
      ],
    },
  };
  for (const schema of [ref, { $ref: '#/components/schemas/Loop' }, { $ref: '#/components/schemas/Union' }]) {
    const parameter = (location: string, more: object) => ({
      name: location,
      in: location,
      required: true,
      schema,
      ...more,
    });
    const content = Object.fromEntries(
      [URL_ENCODED, MULTIPART, 'application/json'].map((type) => [type, { schema }]),
    );
    const paths = {
      '/a/{path}': {
        post: operation('a', {
          parameters: [
            parameter('path', {}),
            parameter('query', { style: 'deepObject' }),
            parameter('header', {}),
          ],
          requestBody: { content },
        }),
      },
    };
    const document = documentOf(paths, { schemas });
    expect(pageOf(document, 'a').length).toBeLessThan(100_000);
  }
});
