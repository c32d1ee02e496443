import { createServer } from 'node:http';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import {
  ContractError,
  createContractRouter,
  createErrorHandler,
  type OpenApiDocument,
  unauthenticated,
} from '../../../server/contract/index.ts';
import { tableOf } from '../serve.ts';

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const odd = { name: 'filter', in: 'query', schema: { $ref: '#/components/schemas/Odd' } };
const operation = (operationId: string, more: object = {}) => ({
  operationId,
  responses: { 200: { description: 'OK.' } },
  ...more,
});

// Both interfaces describe parts of the same document.
const document = {
  openapi: '3.1.0',
  info: { title: 'Parts', version: '1' },
  security: [{ Key: [] }],
  paths: {
    '/items/{id}': {
      parameters: [id],
      get: operation('getItem', { parameters: [odd] }),
      put: operation('putItem'),
      delete: operation('deleteItem', { parameters: [odd], security: [{ Certificate: [] }] }),
    },
    '/others': { get: operation('listOthers', { security: [] }) },
  },
  components: {
    schemas: { Odd: { $anchor: 'odd' } },
    securitySchemes: {
      Key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      Certificate: { type: 'mutualTLS' },
    },
  },
} as unknown as OpenApiDocument;

/** Serves a router before another handler, and returns a function that sends a request. */
async function serve(options: object) {
  const app = express();
  app.use(
    createContractRouter({
      ...{ document, operations: tableOf(document), validateResponses: true },
      security: {
        Key: {
          apiKey: async (key: string) => {
            if (key !== 'secret') {
              throw unauthenticated('Unknown key.');
            }
            return { user: 'Ada' };
          },
        },
      },
      authorize: (operationId: string) => {
        if (operationId === 'deleteItem') {
          throw new ContractError(403, 'forbidden', 'No.');
        }
      },
      ...options,
    } as never),
  );
  app.use((req, res) => void res.json({ existing: `${req.method} ${req.url}` }));
  app.use(createErrorHandler({ info: () => undefined, warn: () => undefined, error: () => undefined }));
  const server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return async (method: string, path: string, key: string | undefined = 'secret') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: key === '' ? {} : { 'X-Key': key },
    });
    const text = await response.text();
    return [response.status, text === '' ? undefined : JSON.parse(text)];
  };
}

const handler = async () => undefined;

test('an Express handler serves an operation that the router refuses, after authentication', async () => {
  const received: unknown[] = [];
  const send = await serve({
    handlers: { putItem: handler, listOthers: handler },
    express: {
      getItem: (req: express.Request, res: express.Response) => {
        received.push(req.params, req.url, res.locals.context.principals);
        res.status(203).json({ own: true });
      },
    },
  });
  expect(await send('GET', '/items/a%20b?filter=1')).toEqual([203, { own: true }]);
  expect(received).toEqual([{ id: 'a b' }, '/items/a%20b?filter=1', { Key: { user: 'Ada' } }]);
  expect((await send('GET', '/items/a', 'other'))[0]).toBe(401);
  expect((await send('GET', '/items/a', ''))[0]).toBe(401);
  expect((await send('GET', '/items/%ff'))[0]).toBe(400);
  expect((await send('DELETE', '/items/a', ''))[0]).toBe(501);
  expect(received).toHaveLength(3);
});

test('errors of an Express handler, and what it passes on, take the usual way', async () => {
  const send = await serve({
    handlers: { putItem: handler, listOthers: handler },
    express: {
      getItem: async ({ params }: express.Request, _res: express.Response, next: express.NextFunction) => {
        if (params.id === 'next') {
          return next();
        }
        throw new ContractError(409, 'conflict', 'Taken.');
      },
      // The router does not support its security scheme.
      deleteItem: async (_req: express.Request, res: express.Response) => void res.json({}),
    },
  });
  expect((await send('GET', '/items/a'))[0]).toBe(409);
  expect(await send('GET', '/items/next')).toEqual([200, { existing: 'GET /items/next' }]);
  expect((await send('DELETE', '/items/a', ''))[0]).toBe(403);
});

test('a part of a contract is served, and everything else is passed on', async () => {
  const send = await serve({
    only: ['putItem'],
    handlers: { putItem: handler },
    security: { Key: { apiKey: async () => ({}) } },
  });
  expect(await send('PUT', '/items/a')).toEqual([200, undefined]);
  expect((await send('PUT', '/items/a', ''))[0]).toBe(401);
  for (const [method, path] of [
    ['GET', '/items/a'],
    ['DELETE', '/items/a'],
    ['POST', '/items/a'],
    ['OPTIONS', '/items/a'],
    ['GET', '/others'],
    ['GET', '/x'],
  ] as const) {
    expect(await send(method, path)).toEqual([200, { existing: `${method} ${path}` }]);
  }
});

test('a part of a contract serves HEAD of its GET, and refuses what it cannot serve', async () => {
  const send = await serve({ only: ['listOthers', 'getItem'], handlers: { listOthers: handler } });
  expect(await send('HEAD', '/others')).toEqual([200, undefined]);
  expect((await send('GET', '/items/a'))[0]).toBe(501);
  expect((await send('PUT', '/items/a'))[1]).toEqual({ existing: 'PUT /items/a' });
});

test('an operation may have the name of a member of all objects', async () => {
  const named = {
    openapi: '3.1.0',
    info: { title: 'Names', version: '1' },
    paths: Object.fromEntries(
      ['constructor', 'toString', '__proto__'].map((name) => [`/${name}`, { get: operation(name) }]),
    ),
  };
  const send = await serve({
    document: named,
    // Both interfaces describe parts of the same document.
    operations: tableOf(named as unknown as OpenApiDocument),
    handlers: { constructor: handler, toString: handler, ['__proto__']: handler },
    express: {},
  });
  expect((await send('GET', '/constructor'))[0]).toBe(200);
  expect((await send('GET', '/__proto__'))[0]).toBe(200);
});
