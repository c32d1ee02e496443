// The only module that knows openapi-fetch, which builds each request. Its faults are corrected here, and
// `test/client/transport.test.ts` has a test for each.
import createOpenApiClient from 'openapi-fetch';
import { fillPath } from './address.ts';
import { encodeBody, isForm } from './body.ts';
import type { RequestLine } from './errors.ts';
import { encodeQuery } from './query.ts';
import { errorBody } from './response.ts';
import type { FetchBody, Styles } from './types.ts';

type Values = Readonly<Record<string, unknown>>;

/** Parts of a request. */
export interface RequestParts {
  /** Parameters by location. */
  params: { path?: Values; query?: Values } | undefined;
  /** Headers by name. Later ones replace earlier ones, in any letter case. */
  headers: Values;
  body: unknown;
  /** Media type of the body. Default: JSON. */
  contentType: string | undefined;
  /** Styles of parameters and of the fields of a form, by location. */
  styles: Styles | undefined;
  /** Aborts the request. */
  signal: AbortSignal;
}

/** Sends a request that was built. Its body is that of the parameter, which can be sent again. */
export type Send = (request: Request, body: FetchBody | null) => Promise<Response>;

/**
 * Builds the request of a call, and sends it.
 * @param line method and URL. The URL is replaced by that of the request, without its query, as soon as it is known
 * @param path path of the contract
 * @returns the response with its body unread, and the body of an error response
 */
export type Transport = (
  line: RequestLine,
  path: string,
  parts: RequestParts,
  send: Send,
) => Promise<{ response: Response; error?: unknown }>;

/** The part of the client of openapi-fetch that is used, without the types of a contract. */
interface OpenApiClient {
  request(method: string, path: string, init: object): Promise<{ response: Response; error?: unknown }>;
}

/** @param baseUrl URL that paths are appended to */
export function createTransport(baseUrl: string): Transport {
  // The calls have types of their own (`types.ts`): those of openapi-fetch require the `paths` of a contract.
  const client = createOpenApiClient({ baseUrl }) as unknown as OpenApiClient;
  return async (line, path, { params, headers, body, contentType, styles, signal }, send) => {
    const type = (body !== undefined && declaredType(headers)) || contentType || 'application/json';
    let sent: FetchBody | null = null;
    const { response, error } = await client.request(line.method, path, {
      // It fills a path only if it has parameters.
      params: { query: params?.query, path: params?.path ?? {} },
      pathSerializer: (_: string, values: Values) => {
        line.url = baseUrl + fillPath(path, values, styles?.path);
        return line.url;
      },
      querySerializer: (query: Values) => encodeQuery(query, styles?.query),
      body,
      bodySerializer: (value: unknown) => {
        sent = encodeBody(value, type, styles?.body);
        return sent;
      },
      // It sends a form with any `Content-Type` of the headers. Null omits it: `fetch` knows the boundary of the parts.
      headers:
        body === undefined ? headers : { ...headers, 'Content-Type': isForm(body, type) ? null : type },
      signal,
      // Required for streams, and the only value.
      duplex: 'half',
      // It reads a response by its `Content-Length`, not by its media type. See `response.ts`.
      parseAs: 'stream',
      fetch: (request: Request) => send(request, sent),
    });
    return response.ok ? { response } : { response, error: errorBody(error, response) };
  };
}

function declaredType(headers: Values): string | undefined {
  const name = Object.keys(headers).findLast((key) => key.toLowerCase() === 'content-type');
  return name && String(headers[name]);
}
