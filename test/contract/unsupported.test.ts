import { expect, test } from 'vitest';
import { createContractRouter, type OpenApiDocument } from '../../server/contract/index.ts';
import { tableOf } from './serve.ts';

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

/** Returns the reasons why a router of a document cannot be created. */
function problemsOf(paths: object, more: object = {}, handlers?: object): string[] {
  // An invalid document, on purpose.
  const document = {
    openapi: '3.1.0',
    info: { title: 'Odd', version: '1' },
    paths,
    components: {},
    ...more,
  } as unknown as OpenApiDocument;
  const operations = tableOf(document);
  const every = Object.fromEntries(Object.keys(operations).map((id) => [id, async () => undefined]));
  try {
    createContractRouter({
      ...{ document, operations, validateResponses: false },
      handlers: handlers ?? { ...every, getA: async () => undefined },
      security: {},
    } as never);
    return [];
  } catch (error) {
    const [title, ...problems] = String(error).split('\n- ');
    expect(title).toBe('Error: The contract cannot be served:');
    return problems;
  }
}

/** Returns the problems of a contract with one operation. */
const problemsOfOperation = (operation: object, path = '/a', more: object = {}) =>
  problemsOf({ [path]: { get: { operationId: 'getA', ...ok, ...operation } } }, more);

test('serves a contract without problems', () => {
  expect(problemsOfOperation({})).toEqual([]);
});

test.each<[string, object, string]>([
  ['an undeclared path parameter', { path: '/a/{b}' }, 'the path parameter b is not declared'],
  ['a path parameter that is not in the path', parameter('path', {}), 'a is not in the path'],
  [
    'a parameter with content',
    parameter('query', { schema: undefined, content: {} }),
    'query parameter a is described by its content',
  ],
  [
    'a path with two parameters in a segment',
    {
      path: '/{a}...{b}',
      parameters: ['a', 'b'].map((name) => ({ name, in: 'path', required: true, schema })),
    },
    'not a whole segment',
  ],
  ['a deep object', parameter('query', { style: 'deepObject' }), 'the style deepObject'],
  ['a delimited list', parameter('query', { style: 'pipeDelimited' }), 'the style pipeDelimited'],
  ['a matrix', { path: '/a/{a}', ...parameter('path', { style: 'matrix' }) }, 'the style matrix'],
  ['an object in a query', parameter('query', { schema: { type: 'object' } }), 'is an object'],
  ['an object in a header', parameter('header', { schema: { type: 'object' } }), 'is an object'],
  ['a repeated cookie', parameter('cookie', { schema: { type: 'array' } }), 'repeats the cookie'],
  ['an empty value', parameter('query', { allowEmptyValue: true }), 'empty value'],
  ['a body without media types', { requestBody: { content: {} } }, 'no media type'],
  ['a form without properties', form({}), 'must be an object with properties'],
  ['an object in a form', form({ a: { type: 'object' } }), 'the field a'],
  ['a list of objects in a form', form({ a: { type: 'array', items: { type: 'object' } } }), 'the field a'],
  ['a style in a form', form({ a: schema }, { encoding: { a: { style: 'deepObject' } } }), 'the field a'],
  [
    'a body with media types that differ in a parameter only',
    {
      requestBody: {
        content: { 'application/json;version=1': {}, 'application/JSON; version=2': {}, 'text/plain': {} },
      },
    },
    'the request body declares application/json more than once',
  ],
  [
    'a response with such media types',
    {
      responses: { 200: { description: 'OK.', content: { 'text/csv': {}, 'text/csv;header=present': {} } } },
    },
    'the response with status 200 declares text/csv more than once',
  ],
  ['no success', { responses: { 404: { description: 'No.' } } }, 'no success response'],
  [
    'a 204 with a body',
    { responses: { 204: { description: 'No.', content: { 'text/plain': {} } } } },
    'status 204',
  ],
  ['a scheme without a definition', { security: [{ Nobody: [] }] }, 'securitySchemes/Nobody'],
])(
  'refuses %s, and names the operation',
  (_name, { path = '/a', ...operation }: { path?: string }, reason) => {
    const problems = problemsOfOperation(operation, path);
    expect(problems).toEqual([expect.stringContaining(`GET ${path} (getA): `)]);
    expect(problems[0]).toContain(reason);
  },
);

test.each([
  ['mutual TLS', { type: 'mutualTLS' }],
  ['digest authentication', { type: 'http', scheme: 'digest' }],
  ['a key in an unknown place', { type: 'apiKey', in: 'body', name: 'a' }],
])('refuses %s', (_name, scheme) => {
  const components = { securitySchemes: { Scheme: scheme } };
  const [problem] = problemsOfOperation({ security: [{ Scheme: [] }] }, '/a', { components });
  expect(problem).toContain('are not supported');
});

test.each<[string, object, string]>([
  [
    'a reference that does not resolve',
    { $ref: '#/components/schemas/None' },
    '#/components/schemas/A: the reference',
  ],
  ['a reference to another file', { $ref: 'other.json' }, 'the reference other.json'],
  ['an invalid pattern', { pattern: '\\-' }, 'the pattern'],
  ['a dynamic reference', { $dynamicRef: '#a' }, '$dynamicRef'],
])('refuses a schema with %s', (_name, A, reason) => {
  const problems = problemsOfOperation({}, '/a', { components: { schemas: { A } } });
  expect(problems).toEqual([expect.stringContaining(reason)]);
});

test('refuses variants that inherit from a schema with a discriminator', () => {
  const Pet = { type: 'object', discriminator: { propertyName: 'kind' } };
  const Cat = { allOf: [{ $ref: '#/components/schemas/Pet' }] };
  const [problem] = problemsOfOperation({}, '/a', { components: { schemas: { Pet, Cat } } });
  expect(problem).toContain('#/components/schemas/Pet: variants that inherit');
  const examples = { Pet: { ...Pet, examples: [{ $ref: 'data' }] }, default: { default: { $ref: '#/x' } } };
  expect(problemsOfOperation({}, '/a', { components: { schemas: { Pet: examples.Pet } } })).toEqual([]);
});

test('refuses documents of other versions', () => {
  expect(problemsOfOperation({}, '/a', { openapi: '3.0.3' })).toEqual([
    expect.stringContaining('colophon generate'),
  ]);
  expect(problemsOfOperation({}, '/a', { openapi: '3.2.0' })).toHaveLength(1);
});

test('lists all problems of a contract', () => {
  const get = (operationId: string, more: object = {}) => ({ get: { operationId, ...ok, ...more } });
  const problems = problemsOf(
    {
      '/a': { ...get('getA', parameter('query', { style: 'spaceDelimited' })), trace: {} },
      '/b/{c}': get('getB'),
      '/d-{e}': { parameters: [{ name: 'e', in: 'path', required: true, schema }], ...get('getD') },
      '/f': get('getA'),
    },
    {},
    {},
  );
  expect(problems).toEqual(['/a: trace is not supported.', 'GET /f: the operation id getA is not unique.']);
  expect(
    problemsOf(
      {
        '/a': get('getA', parameter('query', { style: 'spaceDelimited' })),
        '/b/{c}': get('getB'),
        '/d-{e}': { parameters: [{ name: 'e', in: 'path', required: true, schema }], ...get('getD') },
        '/f': get('getF'),
      },
      {},
      { getA: async () => undefined, getB: async () => undefined, getD: async () => undefined },
    ).map((problem) => problem.slice(0, 20)),
  ).toEqual(['GET /a (getA): the q', 'GET /b/{c} (getB): t', 'GET /d-{e} (getD): t', 'GET /f (getF): The o']);
});
