// The only module that knows openapi-fetch, which builds each request. Its faults are corrected here, and
// `test/client/transport.test.ts` has a test for each.
import createOpenApiClient from 'openapi-fetch';
import { fillPath } from './address.ts';
import { encodeBody, isForm } from './body.ts';
import type { RequestLine } from './errors.ts';
import type { RequestDraft } from './exchange.ts';
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
}

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
  send: (draft: RequestDraft) => Promise<Response>,
) => Promise<{ response: Response; error?: unknown }>;

/** The part of openapi-fetch that is used, without the types of a contract. */
type CreateOpenApiClient = (options: object) => {
  request(method: string, path: string, init: object): Promise<{ response: Response; error?: unknown }>;
};

/**
 * What openapi-fetch builds instead of a `Request`: each attempt has a request of its own, with the body of this one. A
 * clone of a request would buffer it.
 */
class Draft implements RequestDraft {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: FetchBody | null;

  constructor(
    url: string,
    { method, headers, body = null }: Omit<RequestDraft, 'body'> & Partial<RequestDraft>,
  ) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.body = body;
  }
}

/** @param baseUrl URL that paths are appended to */
export function createTransport(baseUrl: string): Transport {
  // The calls have types of their own (`types.ts`): those of openapi-fetch require the `paths` of a contract.
  const client = (createOpenApiClient as CreateOpenApiClient)({ baseUrl, Request: Draft });
  return async (line, path, { params, headers, body, contentType, styles }, send) => {
    const type = (body !== undefined && declaredType(headers)) || contentType || 'application/json';
    const { response, error } = await client.request(line.method, path, {
      // It fills a path only if it has parameters.
      params: { query: params?.query, path: params?.path ?? {} },
      pathSerializer: (_: string, values: Values) => {
        line.url = baseUrl + fillPath(path, values, styles?.path);
        return line.url;
      },
      querySerializer: (query: Values) => encodeQuery(query, styles?.query),
      body,
      bodySerializer: (value: unknown) => encodeBody(value, type, styles?.body),
      // It sends a form with any `Content-Type` of the headers. Null omits it: `fetch` knows the boundary of the parts.
      headers:
        body === undefined ? headers : { ...headers, 'Content-Type': isForm(body, type) ? null : type },
      // It reads a response by its `Content-Length`, not by its media type. See `response.ts`.
      parseAs: 'stream',
      fetch: send,
    });
    return response.ok ? { response } : { response, error: errorBody(error, response) };
  };
}

function declaredType(headers: Values): string | undefined {
  const name = Object.keys(headers).findLast((key) => key.toLowerCase() === 'content-type');
  return name && String(headers[name]);
}
