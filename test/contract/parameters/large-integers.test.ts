import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../server/contract/index.ts';
import { JsonText, serveBodies } from '../bodies/serve-bodies.ts';
import { serveRouter, tableOf } from '../serve.ts';

const integer = { type: 'integer', format: 'int64' };
const BODIES = {
  integer,
  nested: {
    type: 'object',
    properties: { items: { type: 'array', items: { type: 'object', properties: { id: integer } } } },
  },
  number: { type: 'number' },
  text: { type: 'object', properties: { id: { type: 'string' } } },
};

test.each([
  ['integer', '9007199254740993', '', '9007199254740993 would be rounded to 9007199254740992'],
  ['integer', '-9007199254740993', '', '-9007199254740993 would be rounded to -9007199254740992'],
  ['integer', '9223372036854775807', '', 'would be rounded to 9223372036854776000'],
  ['integer', '12345678901234567890', '', 'would be rounded'],
  ['integer', '9007199254740993.0', '', 'would be rounded'],
  ['integer', '9.007199254740993e15', '', 'would be rounded'],
  ['number', '1e400000', '', 'must be'],
  ['number', '100000000000000000001', '', 'would be rounded'],
  ['nested', '{"items":[{"id":1},{"id":9007199254740993}]}', 'items.1.id', 'would be rounded'],
])('an integer that would be rounded is rejected: %s %s', async (name, text, path, message) => {
  const { post } = await serveBodies(BODIES);
  const { status, details } = await post(name, new JsonText(text));
  expect(status).toBe(400);
  expect(details).toEqual([{ in: 'body', path, message: expect.stringContaining(message) }]);
});

test.each([
  ['integer', '9007199254740992', 9_007_199_254_740_992],
  ['integer', '4611686018427387904', 2 ** 62],
  ['integer', '9007199254740991.000', Number.MAX_SAFE_INTEGER],
  ['number', '12345678901234567000', Number('12345678901234567000')],
  ['number', '0.12345678901234567890', Number('0.1234567890123456789')],
  ['number', '1.7976931348623157e308', Number.MAX_VALUE],
  ['nested', '{"items":[{"id":9007199254740991}]}', { items: [{ id: Number.MAX_SAFE_INTEGER }] }],
  ['text', '{"id":"9007199254740993"}', { id: '9007199254740993' }],
])('a number that keeps its value is accepted: %s %s', async (name, text, value) => {
  const { post } = await serveBodies(BODIES);
  const outcome = await post(name, new JsonText(text));
  // What the handler received is checked again in the response.
  expect(outcome).toEqual({
    status: value === 2 ** 62 ? 500 : 200,
    body: expect.anything(),
    details: undefined,
  });
  if (value !== 2 ** 62) {
    expect(outcome.body).toEqual(value);
  }
});

test('an integer in a response that readers without rounding would read as another one is an error', async () => {
  const { post, errors } = await serveBodies(BODIES);
  expect((await post('integer', 1, 9_007_199_254_740_992)).status).toBe(200);
  expect((await post('integer', 1, 2 ** 62)).status).toBe(500);
  expect((await post('nested', {}, { items: [{ id: 2 ** 60 }] })).status).toBe(500);
  expect((await post('number', 1, 2 ** 62)).status).toBe(200);
  expect((await post('integer', 1, 9_007_199_254_740_993n)).status).toBe(500);
  expect(errors().join('\n')).toMatch(/declare a string/);
});

test('an integer in the JSON of a parameter or field that would be rounded is rejected', async () => {
  const json = { type: 'object', properties: { id: integer } };
  const form = (type: string) => ({
    requestBody: {
      content: {
        [type]: {
          schema: { type: 'object', properties: { a: json } },
          encoding: { a: { contentType: 'application/json' } },
        },
      },
    },
  });
  const ok = { responses: { 204: { description: 'OK.' } } };
  const parameters = [{ name: 'a', in: 'query', content: { 'application/json': { schema: json } } }];
  const paths = {
    '/query': { post: { operationId: 'query', parameters, ...ok } },
    '/form': { post: { operationId: 'form', ...form('application/x-www-form-urlencoded'), ...ok } },
    '/parts': { post: { operationId: 'parts', ...form('multipart/form-data'), ...ok } },
  };
  const info = { title: 'Fields', version: '1' };
  // The interface lists only what the router reads.
  const document = { openapi: '3.1.0', info, paths } as unknown as OpenApiDocument;
  const read = async ({ body }: { body?: unknown }) => {
    if (typeof body === 'object' && body !== null && 'read' in body && typeof body.read === 'function') {
      await body.read();
    }
  };
  const { url } = await serveRouter({
    ...{ document, operations: tableOf(document), security: {}, validateResponses: true },
    handlers: { query: read, form: read, parts: read },
  } as never);
  const send = async (text: string) => {
    const parts = new FormData();
    parts.set('a', new Blob([text], { type: 'application/json' }));
    const responses = await Promise.all([
      fetch(`${url}/query?a=${encodeURIComponent(text)}`, { method: 'POST' }),
      fetch(`${url}/form`, { method: 'POST', body: new URLSearchParams({ a: text }) }),
      fetch(`${url}/parts`, { method: 'POST', body: parts }),
    ]);
    return await Promise.all(responses.map(async (response) => [response.status, await response.text()]));
  };
  expect(await send('{"id":9007199254740991}')).toEqual([
    [204, ''],
    [204, ''],
    [204, ''],
  ]);
  const rejected = [400, expect.stringContaining('9007199254740993 would be rounded to 9007199254740992')];
  expect(await send('{"id":9007199254740993}')).toEqual([rejected, rejected, rejected]);
});
