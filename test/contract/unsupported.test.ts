import { expect, test } from 'vitest';
import {
  createContractRouter,
  describePlace,
  type OpenApiDocument,
  unsupportedPlaces,
} from '../../server/contract/index.ts';
import { serveRouter, tableOf } from './serve.ts';

const schema = { type: 'string' };
const ok = { responses: { 200: { description: 'OK.' } } };
const form = (properties: object, more: object = {}) => ({
  requestBody: {
    content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties }, ...more } },
  },
});
const parameter = (part: string, more: object, name = 'a') => ({
  parameters: [{ name, in: part, schema, ...more }],
});

/** An operation that returns a schema. */
const returning = (name: string) => ({
  responses: {
    200: {
      description: 'OK.',
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
    },
  },
});
const object = { type: 'object', properties: { b: schema } };
const map = { type: 'object', additionalProperties: schema };
const two = (one: object, other: object, name = 'c') => ({
  parameters: [
    { in: 'query', name: 'a', ...one },
    { in: 'query', name, ...other },
  ],
});

const documentOf = (paths: object, more: object = {}) =>
  // An odd document, on purpose.
  ({
    ...{ openapi: '3.1.0', info: { title: 'Odd', version: '1' }, paths, components: {} },
    ...more,
  }) as unknown as OpenApiDocument;

/** Returns the lines about what a router does not serve. */
const placesOf = (paths: object, more: object = {}) =>
  unsupportedPlaces(documentOf(paths, more)).map(describePlace);

/** Returns the places of a contract with one operation. */
const placesOfOperation = (operation: object, path = '/a', more: object = {}) =>
  placesOf({ [path]: { get: { operationId: 'getA', ...ok, ...operation } } }, more);

test('serves a contract without problems', () => {
  expect(placesOfOperation({})).toEqual([]);
});

test.each<[string, object, string]>([
  [
    'a parameter with two media types',
    parameter('query', { content: { 'a/b': {}, 'c/d': {} } }),
    'one media type',
  ],
  ['a path without text between two parameters', { path: '/{a}{b}' }, 'the path has no text before'],
  ['a path with a fragment', { path: '/a#b' }, 'the path contains #'],
  ['a style of another location', parameter('query', { style: 'simple' }), 'the style simple'],
  ['an object in a style of lists', parameter('header', { style: 'deepObject' }), 'the style deepObject'],
  [
    'an object with a property that is also a parameter',
    two({ schema: object }, { schema }, 'b'),
    'the query parameter b has the name of a property of a',
  ],
  ['two objects with the same property', two({ schema: object }, { schema: object }), 'c has the property b'],
  ['two maps', two({ schema: map }, { schema: map }), 'accepts properties of any name'],
  [
    'a name that is a property of a deep object',
    two({ schema: object, style: 'deepObject' }, { schema }, 'a[b]'),
    'the query parameter a[b] has the name of a property of a',
  ],
  ['a body without media types', { requestBody: { content: {} } }, 'no media type'],
  [
    'a form with an object whose property is also a field',
    form({ a: object, b: schema }, { encoding: { a: { style: 'form' } } }),
    'the field b of application/x-www-form-urlencoded has the name of a property of a',
  ],
  [
    'a body with media types of two schemas that differ in a parameter only',
    {
      requestBody: {
        content: {
          'application/json;version=1': { schema },
          'application/JSON; version=2': {},
          'text/plain': {},
        },
      },
    },
    'the request body declares application/json with other parameters and another schema',
  ],
  [
    'a response with such media types',
    {
      responses: {
        200: { description: 'OK.', content: { 'text/csv': {}, 'text/csv;header=present': { schema } } },
      },
    },
    'the response with status 200 declares text/csv with other parameters and another schema',
  ],
  ['a scheme without a definition', { security: [{ Nobody: [] }] }, 'securitySchemes/Nobody'],
])(
  'refuses %s, and names the operation',
  (_name, { path = '/a', ...operation }: { path?: string }, reason) => {
    const places = placesOfOperation(operation, path);
    expect(places).toEqual([expect.stringContaining(`GET ${path} (getA): `)]);
    expect(places[0]).toContain(reason);
  },
);

test.each([
  ['mutual TLS', { type: 'mutualTLS' }],
  ['a scheme of HTTP without a valid name', { type: 'http', scheme: 'two words' }],
  ['a key in an unknown place', { type: 'apiKey', in: 'body', name: 'a' }],
])('refuses %s', (_name, scheme) => {
  const components = { securitySchemes: { Scheme: scheme } };
  const [problem] = placesOfOperation({ security: [{ Scheme: [] }] }, '/a', { components });
  expect(problem).toContain('are not supported');
});

test.each<[string, object, string]>([
  [
    'a reference that does not resolve',
    { $ref: '#/components/schemas/None' },
    '#/components/schemas/A: the reference',
  ],
  ['a reference to another file', { $ref: 'other.json' }, 'the reference other.json'],
  ['an invalid pattern', { pattern: '(' }, 'the pattern'],
  [
    'a keyword with an invalid value',
    { minLength: '5' },
    'minLength must be a non-negative integer, and is "5"',
  ],
  [
    'an unknown type',
    { properties: { a: { type: 'file' } } },
    '#/components/schemas/A/properties/a: type must be',
  ],
  ['a dynamic reference', { $dynamicRef: '#a' }, '$dynamicRef'],
])('refuses a schema with %s', (_name, A, reason) => {
  const more = { components: { schemas: { A } } };
  expect(placesOfOperation(returning('A'), '/a', more)).toEqual([expect.stringContaining(reason)]);
  expect(placesOfOperation({}, '/a', more)).toEqual([]);
});

test('reads data as data, and properties and responses named like keywords of data as what they are', () => {
  const data = { $ref: 'data', $id: 'a', pattern: '(', allOf: [{ $ref: 'data' }], type: 'file' };
  const A = { enum: [data], const: data, default: data, example: data, examples: [data], 'x-more': data };
  const media = { 'application/json': { schema: A, example: data, examples: { a: { value: data } } } };
  const responses = { 200: { description: 'OK.', content: media, 'x-more': data } };
  expect(placesOfOperation({ responses })).toEqual([]);
  const properties = Object.fromEntries(
    ['$ref', 'example', 'examples', 'default', 'enum', 'const'].map((name) => [name, { $ref: '#/x' }]),
  );
  const more = { components: { schemas: { A: { properties } } } };
  expect(placesOfOperation(returning('A'), '/a', more)).toHaveLength(6);
  const named = {
    default: { description: 'Error.', content: { 'text/plain': { schema: { $ref: '#/x' } } } },
  };
  expect(placesOfOperation({ responses: { ...ok.responses, ...named } })).toHaveLength(1);
});

test('finds what the schemas that inherit from a schema contain', () => {
  const Pet = { type: 'object', discriminator: { propertyName: 'kind' } };
  const Cat = { allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { name: { pattern: '(' } } }] };
  const places = placesOfOperation(returning('Pet'), '/a', { components: { schemas: { Pet, Cat } } });
  expect(places).toEqual([expect.stringContaining('#/components/schemas/Cat/allOf/1/properties/name')]);
});

test('reads only documents of OpenAPI 3.1 with paths', () => {
  expect(() => placesOfOperation({}, '/a', { openapi: '3.0.3' })).toThrow('colophon generate');
  expect(() => placesOfOperation({}, '/a', { openapi: '3.2.0' })).toThrow('OpenAPI 3.2.0');
  expect(() => unsupportedPlaces(documentOf({}, { paths: undefined }))).toThrow('no paths');
});

const get = (operationId: string | undefined, more: object = {}) => ({
  get: { operationId, ...ok, ...more },
});

test('lists all places of a contract at once, with the operations that each concerns', () => {
  const Odd = { $anchor: 'odd' };
  const response = (schema: object) => ({
    responses: { 200: { description: 'OK.', content: { 'application/json': { schema } } } },
  });
  const odd = response({ type: 'array', items: { $ref: '#/components/schemas/Holder' } });
  const schemas = { Odd, Holder: { properties: { odd: { $ref: '#/components/schemas/Odd' } } }, Unused: Odd };
  const style = parameter('query', { style: 'simple' });
  expect(
    placesOf(
      {
        '/a': { ...get('getA', style), trace: { operationId: 'traceA', ...ok } },
        '/{b}': get('getB', odd),
        '/{c}': get('getC', odd),
        '/d': get('getA', odd),
        '/e': get(undefined, odd),
        '/f': get('getF', response({ $ref: '#/components/schemas/Fine' })),
      },
      { components: { schemas: { ...schemas, Fine: {} } } },
    ),
  ).toEqual([
    'GET /a (getA): the query parameter a has the style simple, which parameters of this kind do not have: use form or spaceDelimited or pipeDelimited or deepObject.',
    'TRACE /a (traceA): the method TRACE is not supported: a server must not return the credentials of a request.',
    'GET /{b} (getB), GET /{c} (getC), GET /d (getA) and 1 more: #/components/schemas/Odd: $anchor is not supported.',
    'GET /{c} (getC): the path differs from that of GET /{b} in the names of its parameters only.',
    'GET /d (getA): the operation has the operationId of GET /a.',
    'GET /e: the operation has no operationId.',
  ]);
});

test('an operation that is refused refuses itself, and everything else is served', async () => {
  const document = documentOf({
    '/a': {
      ...get('getA', parameter('query', { style: 'simple' })),
      post: { operationId: 'postA', ...ok },
    },
    '/b/{x}{y}': get('getB', { security: [{ Nobody: [] }] }),
    '/b/{x}': { put: { operationId: 'putB', ...ok } },
  });
  const { url } = await serveRouter({
    ...{ document, operations: tableOf(document), security: {}, validateResponses: true },
    handlers: { postA: async () => undefined, putB: async () => undefined },
  } as never);
  const send = async (method: string, path: string) => {
    const response = await fetch(url + path, { method });
    return [response.status, (await response.text()).match(/this operation: [^"]*/)?.[0]];
  };
  expect(await send('POST', '/a')).toEqual([200, undefined]);
  expect(await send('PUT', '/b/1')).toEqual([200, undefined]);
  expect(await send('GET', '/a?a=1')).toEqual([
    501,
    'this operation: the query parameter a has the style simple, which parameters of this kind do not have: use form or spaceDelimited or pipeDelimited or deepObject.',
  ]);
  expect(await send('HEAD', '/a')).toEqual([501, undefined]);
  expect(await send('GET', '/b/1')).toEqual([
    501,
    expect.stringMatching(/the path has no text before .*; the security scheme Nobody cannot be used/),
  ]);
  expect((await fetch(`${url}/a`, { method: 'DELETE' })).headers.get('allow')).toBe('POST, GET, HEAD');
});

test('a missing handler, hook or row of the table is an error of the start', () => {
  const document = documentOf({ '/a': get('getA'), '/b': get('getB', parameter('query', { content: {} })) });
  const create = (options: object) => () =>
    createContractRouter({
      ...{ document, operations: tableOf(document), security: {}, validateResponses: true },
      ...options,
    } as never);
  const getA = async () => undefined;
  expect(create({ handlers: { getA } })).not.toThrow();
  expect(create({ handlers: {} })).toThrow('GET /a (getA): The operation getA has no handler');
  expect(create({ handlers: { getA }, operations: {} })).toThrow('Regenerate it');
  const express = () => undefined;
  expect(create({ handlers: { getA }, express: { getB: express } })).not.toThrow();
  expect(create({ handlers: { getA }, express: { getA: express } })).toThrow('it is served as declared');
  expect(create({ handlers: { getA }, express: { getC: express } })).toThrow('the operation getC, which');
  expect(create({ handlers: {}, only: ['getC'] })).toThrow('the operation getC, which');
});
