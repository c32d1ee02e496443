import { pathToFileURL } from 'node:url';
import { ApiError, createClient } from '../../../client/index.ts';
import { isText, type RequestValues } from './decode.ts';
import type { MockServer } from './mock-server.ts';
import type { RawResponse } from './raw-request.ts';
import type { ExpectedExchange } from './router-side.ts';
import { contentOfResponse, difference, isLines } from './values.ts';

/** A generated function of an operation. */
interface GeneratedFunction {
  name: string;
  call: (client: object, input: object, options?: object) => Promise<unknown>;
  /** Locations with parameters in a property of the input. */
  nested: readonly string[];
  hasContentType: boolean;
  /** Shape of the pages, if it returns the page of a list. */
  pages: PageFormat | undefined;
}

/** Paths of the items of a page, and where the next page is. */
export interface PageFormat {
  items: readonly string[];
  cursor?: readonly string[];
  cursorHeader?: string;
  link?: readonly string[];
}

/** The generated functions of a specification, by method and path. */
export type GeneratedFunctions = ReadonlyMap<string, GeneratedFunction>;

/** Imports the generated functions of a specification. */
export async function generatedFunctions(file: string): Promise<GeneratedFunctions> {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href);
  const functions = new Map<string, GeneratedFunction>();
  for (const [name, value] of Object.entries(module)) {
    if (typeof value === 'function') {
      const call = (...args: unknown[]) => value(...args);
      await call(
        {
          call: async (
            method: string,
            path: string,
            _input: object,
            _options: object,
            format: { nested?: string[]; pages?: PageFormat } = {},
          ) => {
            const nested = format.nested ?? [];
            const hasContentType = /const \{ contentType\b/.test(value.toString());
            const key = `${method} ${path.replaceAll('{+', '{')}`;
            functions.set(key, { name, call, nested, hasContentType, pages: format.pages });
          },
        },
        {},
      );
    }
  }
  return functions;
}

/** A call of a generated function. */
export interface Call {
  one: GeneratedFunction;
  input: Record<string, unknown>;
}

/** Returns the call of an operation. */
export function callOf(
  functions: GeneratedFunctions,
  { matched, values }: Pick<ExpectedExchange, 'matched' | 'values'>,
): Call | undefined {
  const one = functions.get(`${matched.method} ${matched.path}`);
  return one && { one, input: inputOf(values, one) };
}

function inputOf(
  { path, query, header, cookie, body, contentType }: RequestValues,
  { nested, hasContentType }: GeneratedFunction,
): Record<string, unknown> {
  const input: Record<string, unknown> = { ...path };
  for (const [location, parameters] of Object.entries({ query, header, cookie })) {
    if (nested.includes(location)) {
      input[location] = parameters;
    } else {
      Object.assign(input, parameters);
    }
  }
  return {
    ...input,
    ...(body !== undefined && {
      body: body instanceof Uint8Array ? new Blob([Uint8Array.from(body)]) : body,
    }),
    ...(body !== undefined && hasContentType && { contentType }),
  };
}

export const CALL_TIMEOUT_MS = 10_000;

/** Calls a mock API, and returns how the request and what the client returns differ from the expected values. */
export async function clientProblems(
  mock: MockServer,
  base: string,
  call: Call,
  { values, response: expected }: ExpectedExchange,
): Promise<string[]> {
  let received: Response | undefined;
  const client = createClient({
    baseUrl: mock.baseUrl + base,
    timeout: CALL_TIMEOUT_MS,
    retries: 0,
    fetch: async (request) => {
      received = await fetch(request);
      return received;
    },
    ...credentials(values.otherHeaders),
  });
  const problems: (string | undefined)[] = [];
  let data: unknown;
  try {
    data = await call.one.call(client, call.input);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'http' || expected.status < 400) {
      const reason = mock.problem();
      return [reason ?? String(error instanceof Error ? (error.cause ?? error.message) : error)];
    }
    problems.push(await difference('error', textOr(expected, contentOfResponse(expected)), error.body));
  }
  problems.push(mock.problem());
  problems.push(await difference('status', expected.status, received?.status));
  const type = expected.headers.get('Content-Type') ?? '';
  if (expected.status < 400) {
    const value = isLines(type) ? expected.body : contentOfResponse(expected);
    problems.push(await difference('data', textOr(expected, value), data));
  }
  return problems.filter((problem) => problem !== undefined);
}

/** Texts and XML are read as a string. */
const textOr = ({ headers, body }: RawResponse, value: unknown): unknown =>
  isText(headers.get('Content-Type') ?? '') ? body.toString() : value;

/** Options of a client that sends credentials. */
function credentials(headers: Record<string, string>): { token?: string; headers?: Record<string, string> } {
  const { authorization = '', ...others } = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const [, token] = /^Bearer (.+)$/.exec(authorization) ?? [];
  return token === undefined
    ? { headers: { ...others, ...(authorization !== '' && { authorization }) } }
    : { token, headers: others };
}
