import { describe, expect, test } from 'vitest';
import { checks } from '../../../../spec/toolchain/conform/checks/checks.ts';
import { declaredMedia, matchResponse } from '../../../../spec/toolchain/conform/checks/declared.ts';
import { truncate } from '../../../../spec/toolchain/conform/checks/location.ts';
import type { Exchange } from '../../../../spec/toolchain/conform/wire/exchange.ts';
import { readResponse } from '../../../../spec/toolchain/conform/wire/response.ts';
import type { Operation } from '../../../../spec/toolchain/model/contract/contract.ts';
import type { Caller, Fault, Step } from '../../../../spec/toolchain/model/plan/plan.ts';
import { SchemaSet } from '../../../../spec/toolchain/model/schema/schema.ts';
import { contract } from '../widget-contract.ts';

const schemas = new SchemaSet(contract.components);

interface Case {
  operation?: string;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  fault?: Fault;
  caller?: Caller;
  sent?: Step['body'];
  failure?: string;
}

/** Runs all checks on one exchange and returns the causes of violations by the name of the check. */
function judge({
  operation: id = 'getWidget',
  status = 200,
  headers = {},
  body = '',
  fault,
  caller = 'own',
  sent,
  failure,
}: Case): Record<string, string> {
  const operation = operationOf(id);
  const method = fault?.method ?? operation.method;
  const exchange: Exchange = {
    request: { method, target: operation.path, headers: [], caller },
    milliseconds: 1,
    ...(failure === undefined
      ? { response: readResponse(method, status, headers, Buffer.from(body)) }
      : { failure }),
  };
  const step: Step = {
    operation: id,
    caller,
    path: {},
    query: [],
    headers: [],
    ...(sent && { body: sent }),
    ...(fault && { fault }),
  };
  const expected = checks.flatMap((check) => {
    const violation = check.verify({ contract, schemas, operation, step, exchange });
    if (violation) {
      for (const text of [violation.message, violation.expected]) {
        expect(text).toMatch(/^[A-Z1-9a-z].*\.$/s);
      }
    }
    return violation ? [[check.name, violation.cause] as const] : [];
  });
  return Object.fromEntries(expected);
}

function operationOf(id: string): Operation {
  const operation = contract.operations.find((item) => item.id === id);
  if (!operation) {
    throw new Error(`There is no operation ${id}.`);
  }
  return operation;
}

const json = { 'content-type': 'application/json; charset=utf-8', etag: '"1"' };
const refusal = { headers: { 'content-type': 'application/problem+json' }, body: '{"code":"x"}' };
const entity = '{"id":"a"}';
const input: Fault = { name: 'body title: type', kind: 'input' };
const login: Fault = { name: 'no token', kind: 'authentication' };
const trace: Fault = { name: 'method TRACE', kind: 'method', method: 'TRACE' };

const cases: [name: string, exchange: Case, violations: Record<string, string>][] = [
  ['a valid response', { headers: json, body: entity }, {}],
  ['a declared error response', { ...refusal, status: 404 }, {}],
  ['an operation that is not implemented', { status: 501, fault: input, body: 'later' }, {}],

  ['a server error', { ...refusal, status: 500 }, { 'no-server-error': 'status 500 at getWidget' }],
  [
    'an overloaded server',
    { status: 503, operation: 'listWidgets', ...refusal },
    { 'no-server-error': 'status 503 at listWidgets' },
  ],
  ['no response', { failure: 'The connection failed.' }, { 'no-server-error': 'no response at getWidget' }],
  [
    'a server error for an invalid request',
    { operation: 'putWidget', status: 500, fault: input },
    { 'no-server-error': 'status 500 at putWidget' },
  ],

  [
    'an undeclared success',
    { operation: 'putWidget', status: 200 },
    { 'declared-status': 'undeclared status 200 of putWidget' },
  ],
  [
    'an undeclared error status',
    { operation: 'putWidget', status: 409 },
    { 'declared-status': 'undeclared status 409' },
  ],
  ['a status of a range', { ...refusal, status: 418 }, {}],
  ['a status of default', { ...refusal, operation: 'listWidgets', status: 418 }, {}],

  [
    'a missing header',
    { headers: { 'content-type': 'application/json' }, body: entity },
    { 'declared-headers': 'header etag missing under 200' },
  ],
  [
    'an invalid header',
    { headers: { ...json, 'x-left': '-1' }, body: entity },
    { 'declared-headers': 'header x-left invalid under 200' },
  ],
  [
    'a header of another type',
    { headers: { ...json, 'x-left': 'many' }, body: entity },
    { 'declared-headers': 'header x-left invalid under 200' },
  ],
  ['a header that is a number', { headers: { ...json, 'x-left': '12' }, body: entity }, {}],
  ['a header that is text and looks like a number', { headers: { ...json, etag: '7' }, body: entity }, {}],

  [
    'another media type',
    { headers: { ...json, 'content-type': 'image/png' }, body: 'x' },
    { 'declared-media-type': 'media type image/png under 200' },
  ],
  [
    'a body without a media type',
    { headers: { etag: '1' }, body: 'x' },
    { 'declared-media-type': 'no media type under 200' },
  ],
  ['a media type of a range', { headers: { ...json, 'content-type': 'text/plain' }, body: 'abc' }, {}],
  [
    'a missing body',
    { ...refusal, headers: {}, body: '', status: 404 },
    { 'declared-media-type': 'no body under 4XX' },
  ],
  [
    'an undeclared body',
    { operation: 'putWidget', status: 403, body: 'no' },
    { 'declared-media-type': 'undeclared body under 403' },
  ],
  ['no body, as declared', { operation: 'putWidget', status: 403 }, {}],
  ['204 without a body', { operation: 'putWidget', status: 204 }, {}],

  [
    'a body with a field of the wrong type',
    { headers: json, body: '{"id":1}' },
    { 'declared-body': 'Widget/id violates type' },
  ],
  [
    'a missing required field',
    { headers: json, body: '{}' },
    { 'declared-body': 'Widget/id violates required' },
  ],
  [
    'the same in a list',
    { operation: 'listWidgets', headers: json, body: '[{"id":"a"},{}]' },
    { 'declared-body': 'Widget/id violates required' },
  ],
  [
    'an invalid item of an array',
    { headers: json, body: '{"id":"a","tags":["x",2]}' },
    { 'declared-body': 'Widget/tags/* violates type' },
  ],
  [
    'an object instead of an array',
    { operation: 'listWidgets', headers: json, body: '{}' },
    { 'declared-body': 'listWidgets 200 violates type' },
  ],
  [
    'an invalid error response',
    { headers: refusal.headers, body: '{}', status: 404 },
    { 'declared-body': 'Problem/code violates required' },
  ],
  [
    'the same of another operation',
    { operation: 'listWidgets', headers: refusal.headers, body: '{}', status: 404 },
    { 'declared-body': 'Problem/code violates required' },
  ],
  [
    'an undeclared field of a closed object',
    { headers: json, body: '{"id":"a","owner":{"x":1}}' },
    { 'declared-body': 'Owner/x violates additionalProperties' },
  ],
  [
    'JSON that cannot be parsed',
    { headers: json, body: '{"id":' },
    { 'declared-body': 'unreadable JSON of getWidget 200' },
  ],
  [
    'a text that is too long',
    { headers: { ...json, 'content-type': 'text/plain' }, body: 'abcdef' },
    { 'declared-body': 'getWidget 200 violates maxLength' },
  ],

  [
    'an undeclared field',
    { headers: json, body: '{"id":"a","secret":1}' },
    { 'undeclared-fields': 'undeclared field Widget/secret' },
  ],
  [
    'the same in a list',
    { operation: 'listWidgets', headers: json, body: '[{"id":"a","secret":1}]' },
    { 'undeclared-fields': 'undeclared field Widget/secret' },
  ],

  ['405 without Allow', { ...refusal, status: 405, fault: trace }, { 'allow-header': '405 without Allow' }],
  [
    '405 with an incomplete Allow',
    { status: 405, headers: { allow: 'GET, HEAD' }, fault: trace },
    { 'allow-header': 'Allow of /widgets/{id} omits PUT' },
  ],
  [
    '405 with an Allow that lists the method',
    { status: 405, headers: { allow: 'GET, PUT, TRACE' }, fault: trace },
    { 'allow-header': 'Allow of /widgets/{id} lists a method that returns 405' },
  ],
  ['405 with a correct Allow', { status: 405, headers: { allow: 'GET, HEAD, PUT' }, fault: trace }, {}],

  [
    'invalid input accepted',
    { operation: 'putWidget', status: 204, fault: input },
    { 'invalid-input-rejected': 'accepts body title: type at putWidget' },
  ],
  [
    'an undeclared media type accepted',
    { operation: 'putWidget', status: 204, fault: { name: 'media type', kind: 'media-type' } },
    { 'invalid-input-rejected': 'accepts media type at putWidget' },
  ],
  ['invalid input rejected for another reason', { ...refusal, status: 404, fault: input }, {}],
  [
    'an unknown query parameter accepted',
    { headers: json, body: entity, fault: { name: 'query x', kind: 'undeclared' } },
    {},
  ],
  [
    'an unknown field accepted by a closed body',
    {
      operation: 'putWidget',
      status: 204,
      fault: { name: 'body x', kind: 'undeclared' },
      sent: { mediaType: 'application/json', json: { x: 1 }, references: [] },
    },
    { 'invalid-input-rejected': 'accepts body x at putWidget' },
  ],
  [
    'an unknown query parameter with a valid body',
    {
      operation: 'putWidget',
      status: 204,
      fault: { name: 'query x', kind: 'undeclared' },
      sent: { mediaType: 'application/json', json: { title: 'x' }, references: [] },
    },
    {},
  ],

  [
    'valid input rejected',
    { ...refusal, status: 422 },
    { 'valid-input-accepted': 'rejects valid input with 422 at getWidget' },
  ],
  ['valid input rejected for the state of a resource', { ...refusal, status: 409 }, {}],
  ['input of another caller rejected', { ...refusal, status: 400, caller: 'second' }, {}],

  [
    'a request without a token accepted',
    { headers: json, body: entity, fault: login, caller: 'anonymous' },
    { authentication: 'accepts a request without a token at getWidget' },
  ],
  [
    '403 where 401 is declared',
    { ...refusal, status: 403, fault: login, caller: 'anonymous' },
    { authentication: 'returns 403 for a request without a token' },
  ],
  [
    '403 where only 403 is declared',
    { operation: 'putWidget', status: 403, fault: login, caller: 'unknown' },
    {},
  ],
  ['401 without a token', { ...refusal, status: 401, fault: login, caller: 'anonymous' }, {}],
  ['400 for a malformed token', { ...refusal, status: 400, fault: login, caller: 'malformed' }, {}],
  [
    '400 for an unknown token',
    { ...refusal, status: 400, fault: login, caller: 'unknown' },
    { authentication: 'returns 400 for a request with an unknown token' },
  ],
  [
    'a public operation',
    { operation: 'listWidgets', headers: json, body: '[]', fault: login, caller: 'anonymous' },
    {},
  ],

  [
    'an undeclared method accepted',
    { status: 200, fault: trace },
    { 'undeclared-method': 'undeclared TRACE succeeds at /widgets/{id}' },
  ],
  [
    '404 for an undeclared method',
    { status: 404, fault: trace },
    { 'undeclared-method': 'undeclared methods return 404' },
  ],
  ['501 for an undeclared method', { status: 501, fault: trace }, {}],
  [
    'OPTIONS, which servers support without a declaration',
    { status: 204, fault: { ...trace, method: 'OPTIONS' } },
    {},
  ],
];

test.each(cases)('%s', (_, exchange, violations) => {
  expect(judge(exchange)).toEqual(violations);
});

test('each check has a case with a violation', () => {
  const fired = new Set(cases.flatMap(([, , violations]) => Object.keys(violations)));
  expect(checks.map(({ name }) => name).filter((name) => !fired.has(name))).toEqual([]);
});

describe('the declaration of a response', () => {
  test('is that of its status, else of its range, else default', () => {
    const response = { headers: {}, content: {}, links: [] };
    const operation = {
      ...operationOf('getWidget'),
      responses: { default: response, '4XX': response, '404': response },
    };
    expect([404, 403, 200].map((status) => matchResponse(operation, status)?.key)).toEqual([
      '404',
      '4XX',
      'default',
    ]);
  });

  test.each([
    ['application/json', 'application/json'],
    ['Application/JSON;charset=UTF-8', 'application/json'],
    ['application/xml', 'application/*'],
    ['text/csv; header=present', '*/*'],
    ['text/plain; charset="UTF-8"', 'text/plain; charset=utf-8'],
    ['text/plain; charset=latin1', '*/*'],
  ])('is that of the most specific media type: %s', (contentType, expected) => {
    const media = { schema: undefined, examples: [] };
    const keys = ['*/*', 'application/*', 'application/json', 'text/plain; charset=utf-8'];
    expect(declaredMedia(Object.fromEntries(keys.map((key) => [key, media])), contentType)?.key).toBe(
      expected,
    );
  });
});

test('texts are truncated, and control characters are escaped', () => {
  expect(truncate('a\u001b[2J\n\u202eb')).toBe('a\\u001b[2J\\n\\u202eb');
  expect(truncate('x'.repeat(200), 5)).toBe('xxxxx…');
});
