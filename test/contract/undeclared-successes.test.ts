import { expect, expectTypeOf, test } from 'vitest';
import type { HandlerResult, OpenApiDocument, UndeclaredReply } from '../../server/contract/index.ts';
import { serveRouter, tableOf } from './serve.ts';

const operation = (operationId: string) => ({ operationId, responses: { 410: { description: 'Gone.' } } });

// Both interfaces describe parts of the same document.
const document = {
  openapi: '3.1.0',
  info: { title: 'Errors only', version: '1' },
  paths: {
    '/lamps': { get: operation('listLamps'), post: operation('createLamp') },
    '/lamps/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: operation('getLamp'),
      delete: operation('deleteLamp'),
      put: operation('replaceLamp'),
    },
  },
} as unknown as OpenApiDocument;

test('the type of a handler permits any success of an operation that declares only errors', () => {
  type Result = HandlerResult<{ responses: { 410: { content?: never } } }>;
  // biome-ignore lint/suspicious/noConfusingVoidType: the type of a handler's result
  expectTypeOf<Result>().toEqualTypeOf<UndeclaredReply | void>();
});

test('an operation that declares only errors returns any success', async () => {
  const { url, errors } = await serveRouter({
    document,
    operations: tableOf(document),
    // There are no generated types.
    handlers: {
      listLamps: async () => ({ status: 200, headers: { 'X-Count': '1' }, body: [{ id: 'a' }] }),
      createLamp: async () => ({ status: 201, contentType: 'text/plain', body: 'created' }),
      getLamp: async () => ({ status: 303, headers: { Location: '/lamps' } }),
      deleteLamp: async () => undefined,
      replaceLamp: async () => ({ status: 404, body: {} }),
    } as never,
    security: {},
    validateResponses: true,
  });
  const send = async (method: string, path: string) => {
    const response = await fetch(url + path, { method, redirect: 'manual' });
    return [response.status, response.headers.get('content-type'), await response.text()];
  };
  expect(await send('GET', '/lamps')).toEqual([200, 'application/json; charset=utf-8', '[{"id":"a"}]']);
  expect((await fetch(`${url}/lamps`)).headers.get('x-count')).toBe('1');
  expect(await send('POST', '/lamps')).toEqual([201, 'text/plain; charset=utf-8', 'created']);
  expect(await send('GET', '/lamps/a')).toEqual([303, null, '']);
  expect(await send('DELETE', '/lamps/a')).toEqual([204, null, '']);
  expect((await send('PUT', '/lamps/a'))[0]).toBe(500);
  expect(errors()).toEqual(['replaceLamp returned status 404. Errors are thrown.']);
});
