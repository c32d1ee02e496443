import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { createHealth } from '../../server/contract/health.ts';
import { requestInfo } from '../../server/contract/request/request-info.ts';
import { createRequestLogger } from '../../server/contract/request/request-log.ts';
import { createErrorHandler } from '../../server/contract/response/error-handler.ts';
import { expectError } from './small-server.ts';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };

/** Serves one part of the server runtime; everything behind it returns 200. */
async function serve(
  part: express.RequestHandler,
): Promise<(path: string, token?: string) => Promise<Response>> {
  const app = express();
  const rest: express.RequestHandler = (_req, res) => void res.json({});
  app.use(createRequestLogger(silent), part, rest, createErrorHandler(silent));
  return await serveApp(app);
}

async function serveApp(app: express.Express): Promise<(path: string, token?: string) => Promise<Response>> {
  const server = createServer(app as RequestListener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return (path, token) =>
    fetch(`http://127.0.0.1:${port}${path}`, token ? { headers: { authorization: `Bearer ${token}` } } : {});
}

test('reports liveness and readiness', async () => {
  let state: () => Promise<boolean> = async () => true;
  const get = await serve(createHealth(() => state()));
  expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' });
  expect(await (await get('/readyz')).json()).toEqual({ status: 'ready' });
  state = async () => false;
  await expectError(await get('/readyz'), 503);
  state = () => Promise.reject(new Error('no database'));
  await expectError(await get('/readyz'), 503);
  expect((await get('/healthz')).status).toBe(200);
});

test('is not ready if the check does not end in time', async () => {
  const get = await serve(createHealth(() => new Promise(() => {}), 20));
  await expectError(await get('/readyz'), 503);
});

test('assigns a request ID without the logger of the runtime', async () => {
  const lines: Record<string, unknown>[] = [];
  const app = express();
  app.get('/fails', () => {
    throw new Error('bug');
  });
  app.get('/id', (req, res) => {
    const first = requestInfo('getId', req, res).requestId;
    res.json([first, requestInfo('getId', req, res).requestId]);
  });
  app.use(createErrorHandler({ ...silent, error: (fields) => void lines.push(fields) }));
  const get = await serveApp(app);
  const failed = await get('/fails');
  const id = failed.headers.get('x-request-id');
  expect(id).toMatch(/^[\da-f-]{36}$/);
  expect(await failed.json()).toMatchObject({
    error: { requestId: id, message: expect.stringContaining(`${id}`) },
  });
  expect(lines).toMatchObject([{ requestId: id }]);
  const response = await get('/id');
  const own = response.headers.get('x-request-id');
  expect(await response.json()).toEqual([own, own]);
  expect(own).not.toBe(id);
});

test('describes a request with properties that can be spread, and getters that refer to no request', async () => {
  const app = express();
  app.get('/request', (req, res) => {
    const [one, other] = [requestInfo('getRequest', req, res), requestInfo('getRequest', req, res)];
    const getters = (info: object) =>
      Object.values(Object.getOwnPropertyDescriptors(info)).flatMap(({ get }) => get ?? []);
    const { signal, ...spread } = { ...one };
    res.json({
      spread,
      aborted: signal.aborted,
      shared: getters(one).map((get, at) => get === getters(other)[at]),
    });
  });
  const response = await (await serveApp(app))('/request');
  const requestId = response.headers.get('x-request-id');
  expect(await response.json()).toEqual({
    spread: { operationId: 'getRequest', principals: {}, requestId, address: '127.0.0.1' },
    aborted: false,
    // Others would keep each request in memory until a full garbage collection.
    shared: [true, true, true],
  });
});

test('returns 400 for a path that Express cannot decode', async () => {
  const router = express.Router();
  router.get('/files/:name', (_req, res) => void res.json({}));
  const get = await serve(router);
  const error = await expectError(await get('/files/%zz'), 400);
  expect(error.details).toEqual([{ in: 'path', path: '', message: 'has invalid percent-encoding' }]);
});
