import { connect } from 'node:net';
import express from 'express';
import { expect, onTestFinished } from 'vitest';
import { createDocsPage } from '../../server/contract/docs/docs-page.ts';
import { type ErrorBody, type Fault, unauthenticated } from '../../server/contract/errors.ts';
import type { RouterLimits } from '../../server/contract/limits/limits.ts';
import type { RateLimit } from '../../server/contract/limits/rate-limit.ts';
import { listen } from '../../server/contract/listener.ts';
import type { RequestContext } from '../../server/contract/request/request-info.ts';
import { createRequestLogger } from '../../server/contract/request/request-log.ts';
import { createErrorHandler, notFoundHandler } from '../../server/contract/response/error-handler.ts';
import { createContractRouter } from '../../server/contract/router.ts';
import type { Handlers } from '../../server/contract/types.ts';
import { createSchemas } from '../../server/contract/validation/schemas.ts';
import { document, type Operations, operations } from './small-contract.ts';

/** Context of a handler of the small contract. */
export type Context = RequestContext<Principals>;

/** The principal is the token itself. */
type Principals = { Token: string };

export type SmallHandlers = Handlers<Operations, typeof operations, Context>;

/** The only valid credential of the small server. */
export const TOKEN = 'good';

/** A line of the log. */
export interface LogLine {
  level: 'error' | 'warn' | 'info';
  message: string;
  fields: Record<string, unknown>;
}

export interface SmallServer {
  url: string;
  port: number;
  log: LogLine[];
  /** Requests that reached a handler: operation and input. */
  handled: { operation: string; path: object; query: object; body: unknown }[];
  /** Sends a request with the valid token and a JSON body. */
  send(method: string, target: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

const WIDGET = { id: 'a', title: 'A' };

const usual: SmallHandlers = {
  listWidgets: async () => ({ items: [WIDGET] }),
  createWidget: async ({ body }) => ({
    id: 'new',
    title: body.title,
    urls: { location: 'http://widgets.example/new' },
  }),
  getWidget: async ({ path }) => ({ id: path.widgetId, title: 'A' }),
  updateWidget: async ({ path }) => ({ id: path.widgetId, title: 'A' }),
  deleteWidget: async () => undefined,
  searchWidgets: async () => ({ items: [] }),
  updatePart: async ({ path }) => ({ number: path.number }),
  replaceTree: async () => undefined,
  runWidget: async () => ({ status: 200, body: { result: 'done' } }),
  getStatus: async () => ({ status: 'ok' }),
};

/** Serves the small contract on loopback until the test ends, with the handlers of the test. */
export async function serveSmallContract(
  handlers: Partial<SmallHandlers> = {},
  {
    validateResponses = true,
    compileAhead = false,
    ownDocument = false,
    limits = {} as Partial<RouterLimits>,
    trustedProxies = [] as string[],
    rateLimit = undefined as RateLimit | undefined,
    authenticate = async (token: string): Promise<string> => {
      if (token !== TOKEN) {
        throw unauthenticated('The token is unknown.');
      }
      return token;
    },
    onEnd = onTestFinished as (stop: () => Promise<void>) => void,
  } = {},
): Promise<SmallServer> {
  const [log, seen]: [LogLine[], SmallServer['handled']] = [[], []];
  const write = (level: LogLine['level']) => (fields: Record<string, unknown>, message: string) => {
    log.push({ level, message, fields });
  };
  const faultLog = { error: write('error'), warn: write('warn'), info: write('info') };
  const served = Object.fromEntries(
    Object.entries({ ...usual, ...handlers }).map(([operation, handler]) => [
      operation,
      async (request: { path: object; query: object; body: unknown }, context: Context) => {
        seen.push({ operation, ...request });
        return await handler(request as never, context as never);
      },
    ]),
    // Each handler is wrapped, and keeps its type.
  ) as unknown as SmallHandlers;
  const app = express().disable('x-powered-by').disable('etag').set('trust proxy', trustedProxies);
  app.use(createRequestLogger(faultLog));
  app.use(createDocsPage(document));
  app.use(
    createContractRouter<Operations, typeof operations, Context, Principals>({
      // Servers of the same document share what they compile.
      document: ownDocument ? structuredClone(document) : document,
      operations,
      handlers: served,
      validateResponses,
      compileAhead,
      limits,
      security: { Token: { bearer: authenticate } },
      rateLimit,
      callerKey: ({ principals: { Token = 'anybody' } }) => Token,
      headersOf: (_id, body) => ({ Location: (body as { urls: { location: string } }).urls.location }),
    }),
  );
  if (rateLimit) {
    app.use(rateLimit.byAddress());
  }
  app.use(notFoundHandler);
  app.use(createErrorHandler(faultLog));
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onEnd(() => listener.close(0));
  const { port } = listener;
  const url = `http://127.0.0.1:${port}`;
  const send: SmallServer['send'] = (method, target, body, headers = {}) =>
    fetch(url + target, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body:
          typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      }),
    });
  return { url, port, log, handled: seen, send };
}

/** Sends bytes unchanged, and reads the response until the connection ends. */
export function sendRaw(
  port: number,
  bytes: string,
): Promise<{ status: number; head: string; body: string }> {
  return new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', fail);
    socket.on('close', () => {
      const [head = '', ...rest] = text.split('\r\n\r\n');
      done({ status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') });
    });
    socket.write(bytes, 'latin1');
  });
}

/** Builds a request line and headers with the valid token, for a separate connection. */
export const rawRequest = (method: string, target: string, more = '') =>
  `${method} ${target} HTTP/1.1\r\nHost: widgets.example\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n${more}\r\n`;

const faultsIn = createSchemas(document);

/** Expects an error of the contract, and returns it. */
export async function expectError(response: Response, status: number): Promise<ErrorBody['error']> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body = JSON.parse(text) as ErrorBody;
  expect(faultsIn('Error', body)).toEqual([]);
  expect(body.error.code).toBe(status);
  expect(body.error.requestId).toBe(response.headers.get('x-request-id'));
  return body.error;
}

/** Returns the locations of the errors of a 400, as `in path`. */
export const faultLocations = (error: { details?: Fault[] }) =>
  (error.details ?? []).map(({ in: part, path }) => `${part} ${path}`.trim()).sort();
