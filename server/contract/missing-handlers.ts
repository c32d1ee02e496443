import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { notImplemented, unavailable } from './errors.ts';
import { request as requestHttp } from './http.ts';
import { receiveStream } from './request/bodies/receive.ts';

/** Serves a request to an operation without a handler, after its caller is authenticated. */
export type ServeMissing = (req: Request, res: Response) => Promise<void>;

/** Time limit for a response of the mock. */
const MOCK_TIMEOUT_MS = 30_000;

/**
 * Returns a substitute for the handler of an operation, for the development loop, which sets `COLOPHON_DEV`, listens on
 * the IPC channel of its server and reports which file to add the handler to. The request is forwarded to the mock at
 * `COLOPHON_MOCK_URL`; without a mock, the response is a 501.
 *
 * @throws outside the development loop, where a missing handler stops the start
 */
export function serveMissing(operationId: string, limits: { bodyDeadlineMs: number }): ServeMissing {
  if (process.env.COLOPHON_DEV !== '1') {
    throw new Error(`The operation ${operationId} has no handler. Add one to the handlers of the server.`);
  }
  process.send?.({ missingHandler: operationId });
  const mockUrl = process.env.COLOPHON_MOCK_URL;
  return async (req, res) => {
    if (mockUrl === undefined) {
      throw notImplemented(operationId);
    }
    await forward(req, res, mockUrl, limits.bodyDeadlineMs);
  };
}

/** Sends a request to another server, and its response to the caller. Neither is buffered. */
async function forward(req: Request, res: Response, baseUrl: string, deadlineMs: number): Promise<void> {
  const { host: _host, connection: _connection, expect: _expect, ...headers } = req.headers;
  const upstream = requestHttp(`${baseUrl}${req.url}`, {
    method: req.method,
    headers,
    timeout: MOCK_TIMEOUT_MS,
  });
  upstream.on('timeout', () => upstream.destroy());
  const responded = new Promise<void>((resolve, reject) => {
    upstream.on('error', () => reject(unavailable('The mock of the development loop does not respond.')));
    upstream.on('response', (response) => {
      const { connection: _close, 'keep-alive': _keepAlive, ...received } = response.headers;
      // The ID of this server's log stays.
      delete received['x-request-id'];
      res.writeHead(response.statusCode ?? 502, received);
      pipeline(response, res).then(resolve, reject);
    });
  });
  const body = receiveStream(req, res, { deadlineMs, onChunk: () => undefined });
  await Promise.all([pipeline(body, upstream).catch(() => undefined), responded]);
}
