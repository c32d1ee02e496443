import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type OpenApiDocument, reply } from '../../server/contract/index.ts';
import { serveRouter, tableOf } from './serve.ts';

const json = { content: { 'application/json': { schema: {} } } };
const headers = { 'X-Total': { required: true, schema: { type: 'integer' } } };
const operation = (operationId: string, responses: object) => ({ operationId, responses });
const ok = (more: object = {}) => ({ 200: { description: 'OK.', ...more } });

// Both interfaces describe parts of the same document.
const document = {
  openapi: '3.1.0',
  info: { title: 'Methods', version: '1' },
  paths: {
    '/own': {
      get: operation('getOwn', ok(json)),
      head: operation('headOwn', ok({ headers, ...json })),
      options: operation('optionsOwn', { 204: { description: 'None.', headers: { Allow: {} } } }),
    },
    '/derived': { get: operation('getDerived', ok({ headers, ...json })) },
    '/large': { get: operation('getLarge', ok(json)) },
    '/text': { get: operation('getText', ok({ content: { 'text/plain': { schema: { type: 'string' } } } })) },
    '/stream': { get: operation('getStream', ok({ content: { 'application/octet-stream': {} } })) },
    '/status': {
      get: operation('getStatus', { 201: { description: 'OK.' }, 204: { description: 'None.' } }),
    },
    '/empty': { put: operation('putEmpty', { 204: { description: 'None.', ...json } }) },
    '/traced': { trace: operation('traceOne', ok()), post: operation('postOne', ok()) },
  },
} as unknown as OpenApiDocument;

const handlers = {
  getOwn: async () => ({}),
  headOwn: async () => ({ status: 200, headers: { 'X-Total': 3 } }),
  optionsOwn: async () => reply({ headers: { Allow: 'GET, HEAD' } }),
  getDerived: async () => reply({ body: { a: 'é' }, headers: { 'X-Total': 7 } }),
  getLarge: async () => Array.from({ length: 5000 }, (_, index) => `item ${index}`),
  getText: async () => 'é',
  getStream: async () => Readable.from([Buffer.from('ab')]),
  getStatus: async () => ({ status: 204 }),
  putEmpty: async () => undefined,
  postOne: async () => undefined,
};

async function serve() {
  const options = {
    document,
    operations: tableOf(document),
    handlers,
    security: {},
    validateResponses: true,
  };
  const { url, errors } = await serveRouter(options as never);
  const send = async (method: string, path: string) => {
    const response = await fetch(url + path, { method });
    const { status } = response;
    return { status, head: response.headers, text: await response.text(), errors: errors() };
  };
  return send;
}

test('HEAD and OPTIONS have handlers of their own', async () => {
  const send = await serve();
  const head = await send('HEAD', '/own');
  expect([head.status, head.head.get('x-total'), head.errors]).toEqual([200, '3', []]);
  const options = await send('OPTIONS', '/own');
  expect([options.status, options.head.get('allow'), options.errors]).toEqual([204, 'GET, HEAD', []]);
  const post = await send('POST', '/own');
  expect([post.status, post.head.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test.each(['/derived', '/large', '/text', '/stream', '/status'])(
  'HEAD %s has the status and the headers of GET, and no body',
  async (path) => {
    const send = await serve();
    const [get, head] = [await send('GET', path), await send('HEAD', path)];
    expect([head.status, head.text, head.errors]).toEqual([get.status, '', []]);
    for (const name of ['content-type', 'content-length', 'x-total']) {
      expect(head.head.get(name), name).toBe(get.head.get(name));
    }
  },
);

test('OPTIONS without an operation is a 405 with the methods of the path', async () => {
  const send = await serve();
  const { status, head } = await send('OPTIONS', '/derived');
  expect([status, head.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('a status without a body is served without the declared one', async () => {
  const send = await serve();
  expect(await send('PUT', '/empty')).toMatchObject({ status: 204, text: '', errors: [] });
});
