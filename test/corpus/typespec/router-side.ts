import type { Server } from 'node:http';
import express from 'express';
import {
  ContractError,
  createContractRouter,
  createErrorHandler,
  notFoundHandler,
  reply,
  type OpenApiDocument as ServedDocument,
} from '../../../server/contract/index.ts';
import type { OpenApiDocument } from '../../../spec/toolchain/document.ts';
import type { OperationRow } from '../../../spec/toolchain/generate/operation-table.ts';
import { isJson, type RequestValues } from './decode.ts';
import { closeServer, listenOn, urlOf } from './mock-server.ts';
import { type MatchedOperation, responseFor } from './operations.ts';
import { type RawRequest, type RawResponse, sendRaw } from './raw-request.ts';
import { contentOfResponse, difference, isLines, linesOf } from './values.ts';

/** What the handler of an operation receives. */
interface ReceivedRequest {
  path: object;
  query: object;
  headers: object;
  cookies: object;
  body: unknown;
}

/** An exchange with the router: the expected values of the request, and the response that the handler returns. */
export interface ExpectedExchange {
  matched: MatchedOperation;
  request: RawRequest;
  values: RequestValues;
  response: RawResponse;
}

/** A server of our router, with a handler for each operation of a specification. */
export interface RouterServer {
  /** Sends a request, and returns how the values that the handler received and the response differ from the expected ones. */
  problems(exchange: ExpectedExchange): Promise<string[]>;
  close(): void;
}

/**
 * Starts a server of a specification.
 * @param base path of the server in the contract
 */
export async function startRouterServer(
  document: OpenApiDocument,
  rows: ReadonlyMap<string, OperationRow>,
  base: string,
): Promise<RouterServer> {
  let current: ExpectedExchange | undefined;
  let failures: string[] = [];
  const handler = (id: string) => async (received: ReceivedRequest) => {
    if (current === undefined || id !== current.matched.id) {
      throw new Error(`The request was routed to ${id} instead of ${current?.matched.id}.`);
    }
    failures.push(...(await valueProblems(current.values, received)));
    return resultOf(document, current);
  };
  const failure = (_value: unknown) => {
    if (current !== undefined && [401, 403].includes(current.response.status)) {
      throw failureOf(current.response);
    }
    return Promise.resolve({ user: 'scenario' });
  };
  const hook = { bearer: failure, basic: failure, apiKey: failure, http: failure };
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  const router = createContractRouter({
    // The generator emits what the router reads.
    document: document as unknown as ServedDocument,
    operations: Object.fromEntries(rows),
    // Only generated types describe the requests and the results of handlers.
    handlers: Object.fromEntries([...rows.keys()].map((id) => [id, handler(id)])) as never,
    security: Object.fromEntries(schemes.map((scheme) => [scheme, hook])),
    validateResponses: true,
  });
  const log = {
    ...{ info: () => {}, warn: () => {} },
    error: (fields: { err?: unknown }) => {
      failures.push(fields.err instanceof Error ? fields.err.message : String(fields.err));
    },
  };
  // The errors of a scenario have a format of their own.
  const format = ({ reason, message }: ContractError) => {
    const content = reason === SCENARIO && current ? contentOfResponse(current.response) : undefined;
    const type = current?.response.headers.get('Content-Type') ?? '';
    return content !== undefined && !isJson(type)
      ? { contentType: type, body: String(current?.response.body) }
      : { contentType: 'application/json', body: Object(content ?? { message, reason }) };
  };
  const app = express()
    .use(base === '' ? '/' : base, router)
    .use(notFoundHandler)
    .use(createErrorHandler(log, { format }));
  const server: Server = await listenOn(app);
  return {
    async problems(exchange) {
      [current, failures] = [exchange, []];
      const response = await sendRaw(urlOf(server), exchange.request);
      return [
        ...failures,
        ...(await responseProblems(exchange.response, response, declaredHeaders(document, exchange))),
      ];
    },
    close: () => closeServer(server),
  };
}

/** Reason of the errors that scenarios expect. */
const SCENARIO = 'scenario';
const failureOf = ({ status }: RawResponse) =>
  new ContractError(status, SCENARIO, 'As the scenario expects.');

async function valueProblems(values: RequestValues, received: ReceivedRequest): Promise<string[]> {
  const problems = [
    await difference('path', values.path, { ...received.path }),
    await difference('query', values.query, { ...received.query }),
    await difference('headers', withoutIgnored(values.header), { ...received.headers }),
    await difference('cookies', values.cookie, { ...received.cookies }),
    await difference('body', values.body, bodyValue(received.body)),
  ];
  return problems.filter((problem) => problem !== undefined);
}

/** OpenAPI ignores these parameters. */
const withoutIgnored = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(accept|content-type|authorization)$/i.test(name)),
  );

/** A body of several media types is in an object with its media type. */
const bodyValue = (body: unknown): unknown =>
  typeof body === 'object' &&
  body !== null &&
  Object.keys(body).length === 2 &&
  'contentType' in body &&
  'value' in body
    ? body.value
    : body;

/** Returns what a handler returns for a response. */
function resultOf(document: OpenApiDocument, { matched, response }: ExpectedExchange): unknown {
  const { status, headers, body } = response;
  const declared = responseFor(document, matched.operation, status);
  if (declared === undefined || /^[45]/.test(String(status))) {
    throw failureOf(response);
  }
  const type = headers.get('Content-Type') ?? '';
  const names = declaredHeaders(document, { matched, response });
  const contentType = Object.keys(declared.response.content ?? {}).find((name) => isSameType(name, type));
  return reply({
    status,
    ...(body.length > 0 && {
      contentType: contentType ?? type.replace(/;.*/, ''),
      body: bodyValueOf(type, body),
    }),
    // Some mock APIs also send headers that the contract does not declare.
    headers: Object.fromEntries([...headers].filter(([name]) => names.includes(name))),
  });
}

/** Returns the names of the headers that a response declares. */
function declaredHeaders(
  document: OpenApiDocument,
  { matched, response }: Pick<ExpectedExchange, 'matched' | 'response'>,
): string[] {
  const { headers = {} } = responseFor(document, matched.operation, response.status)?.response ?? {};
  return Object.keys(headers).map((name) => name.toLowerCase());
}

const isSameType = (declared: string, sent: string) =>
  declared.replace(/\s*;.*/, '') === sent.replace(/\s*;.*/, '');

function bodyValueOf(type: string, body: Buffer): unknown {
  if (isJson(type)) {
    return JSON.parse(body.toString());
  }
  if (isLines(type)) {
    return (async function* () {
      yield* linesOf(body.toString());
    })();
  }
  return /^text\/|[/+]xml\b/.test(type) ? body.toString() : body;
}

async function responseProblems(
  expected: RawResponse,
  actual: RawResponse,
  declared: readonly string[],
): Promise<string[]> {
  const problems = [await difference('status', expected.status, actual.status)];
  if (problems[0] !== undefined) {
    return [`${problems[0]} ${actual.body.toString().slice(0, 300)}`];
  }
  problems.push(await difference('response', contentOfResponse(expected), contentOfResponse(actual)));
  const type = (response: RawResponse) => response.headers.get('Content-Type')?.replace(/\s*;.*/, '');
  problems.push(await difference('Content-Type', type(expected), type(actual)));
  for (const [name, value] of expected.headers) {
    if (declared.includes(name)) {
      problems.push(await difference(name, value, actual.headers.get(name)));
    }
  }
  return problems.filter((problem) => problem !== undefined);
}
