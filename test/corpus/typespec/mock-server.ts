import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import {
  type Address,
  contentOf,
  type MockApi,
  type MockLibrary,
  type MockRequest,
  type MockResponse,
  pathOf,
} from './mock-apis.ts';

/** A server of the mock API that is being tested. It verifies requests as the server of `@typespec/spector` does. */
export interface MockServer extends Address {
  /** Serves these APIs from now on. Of those with the same method and path, the first one verifies the requests. */
  serve(...apis: MockApi[]): void;
  /** Returns how the last request differed from the expected one; undefined if it did not. */
  problem(): string | undefined;
  close(): void;
}

const HOST = '127.0.0.1';

/** Starts a server of mock APIs. */
export async function startMockServer(root: string, library: MockLibrary): Promise<MockServer> {
  const app = express();
  const server = await listenOn(app);
  const address = { baseUrl: urlOf(server) };
  let apis: readonly MockApi[] = [];
  let problem: string | undefined = 'No request was received.';
  app.disable('x-powered-by').disable('etag').use(bodyParsers(root));
  app.use(async (req: Request, res: Response) => {
    const api = apis.find((candidate) => lineOf(candidate) === `${req.method} ${withoutSlash(req.path)}`);
    try {
      if (api === undefined) {
        throw new Error(
          `The request is ${req.method} ${req.path} instead of ${apis.map(lineOf).join(' or ')}.`,
        );
      }
      const response = await responseOf(api, req, library, address);
      problem = undefined;
      send(res, response, library, address);
    } catch (error) {
      // Some scenarios send an invalid request, and expect that it is rejected.
      problem = api?.response.status === 400 ? undefined : describe(error);
      res
        .status(400)
        .type('application/json')
        .send(toJson(error) ?? JSON.stringify(problem));
    }
  });
  return {
    ...address,
    serve(...next) {
      apis = next;
      problem = 'No request was received.';
    },
    problem: () => problem,
    close: () => closeServer(server),
  };
}

/** Starts a server on the loopback interface. */
export async function listenOn(app: Express): Promise<Server> {
  const server = createServer(app).listen(0, HOST);
  await once(server, 'listening');
  return server;
}

/** Returns the URL of a server that {@link listenOn} started. */
export const urlOf = (server: Server): string => `http://${HOST}:${(server.address() as AddressInfo).port}`;

/** Stops a server, with its open connections. */
export function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Parsers of bodies by media type, with the bytes or the text of the body in `rawBody`. */
function bodyParsers(root: string): RequestHandler[] {
  const require = createRequire(join(root, 'package.json'));
  const multer: () => { any(): RequestHandler } = require('multer');
  const keepText = (req: object, _res: object, bytes: Buffer) => {
    Object.assign(req, {
      rawBody: bytes.length > 0 ? bytes.toString().trim().replaceAll('\r\n', '\n') : undefined,
    });
  };
  const keepBytes = (req: object, _res: object, rawBody: Buffer) => {
    Object.assign(req, { rawBody });
  };
  return [
    express.json({
      type: ['application/json', 'application/merge-patch+json'],
      verify: keepText,
      strict: false,
    }),
    express.urlencoded({ verify: keepText, extended: true }),
    express.text({ type: ['*/xml', '*/pdf', 'text/plain'], verify: keepText }),
    express.raw({
      type: ['application/octet-stream', 'image/png', 'application/jsonl'],
      limit: '10mb',
      verify: keepBytes,
    }),
    multer().any(),
  ];
}

async function responseOf(
  api: MockApi,
  req: Request,
  library: MockLibrary,
  address: Address,
): Promise<MockResponse> {
  const request = new library.MockRequest(req);
  return await (api.handler?.(request) ?? verified(api, request, library, address));
}

/** Method and path of the requests of an API. */
const lineOf = (api: MockApi) => `${api.method.toUpperCase()} ${withoutSlash(pathOf(api))}`;

/** Like Express, the mock APIs do not distinguish paths by a slash at their end. */
const withoutSlash = (path: string) => decodeURI(path).replace(/\/$/, '');

/** Verifies a request of an API without a handler. */
function verified(api: MockApi, request: MockRequest, { expandDyns }: MockLibrary, address: Address) {
  const { body, headers = {}, query = {} } = api.request ?? {};
  if (body !== undefined && !('kind' in body)) {
    const content = contentOf(body, address);
    if (body.contentType === 'application/json') {
      request.expect.coercedBodyEquals(JSON.parse(String(content)));
    } else if (body.contentType === 'application/xml') {
      request.expect.xmlBodyEquals(String(content).replace(/^<\?xml[^>]*>/, ''));
    } else {
      request.expect.rawBodyEquals(content);
    }
  }
  for (const [name, value] of Object.entries(expandDyns(headers, address))) {
    if (name.toLowerCase() !== 'content-type') {
      request.expect.containsHeader(name.toLowerCase(), String(value));
    }
  }
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) {
      request.expect.deepEqual(request.query[name], value);
    } else {
      request.expect.containsQueryParam(name, String(value));
    }
  }
  return api.response;
}

function send(res: Response, response: MockResponse, { expandDyns }: MockLibrary, address: Address): void {
  res.status(response.status);
  for (const [name, value] of Object.entries(expandDyns(response.headers ?? {}, address))) {
    res.set(name, String(value));
  }
  if (response.body === undefined) {
    res.end();
  } else {
    res.contentType(response.body.contentType).send(contentOf(response.body, address));
  }
}

/** Returns the body of the response to an invalid request. */
const toJson = (error: unknown): unknown =>
  error instanceof Error && 'toJSON' in error && typeof error.toJSON === 'function'
    ? error.toJSON()
    : undefined;

/** Describes a difference from the expected and the actual value of its error. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof Error && 'expected' in error && 'actual' in error
    ? `${text}: expected ${short(error.expected)}, received ${short(error.actual)}`
    : text;
}

const MAX_VALUE_CHARACTERS = 200;
const short = (value: unknown) =>
  inspect(value, { breakLength: Number.POSITIVE_INFINITY }).slice(0, MAX_VALUE_CHARACTERS);
