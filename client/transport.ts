// The only file that imports openapi-fetch. To use another library, rewrite this file.
import createFetchClient from 'openapi-fetch';
import type { Fetch } from './exchange.ts';

/** Request before encoding. */
export interface TransportRequest {
  method: string;
  /** Scheme, host and path, with all path parameters filled in. */
  url: string;
  query: Readonly<Record<string, unknown>> | undefined;
  headers: Headers;
  /** Value to send as JSON; undefined for no body. */
  body: unknown;
  fetch: Fetch;
}

/** Decoded response: `data` of a success, `error` of a failure, both undefined for an empty body. */
export interface TransportResponse {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** Untyped `request` of openapi-fetch. The stricter types in `types.ts` are computed from the contract. */
type Send = (method: string, url: string, init: object) => Promise<TransportResponse>;

// The cast drops the library's types; the shape is that of its documented `request`.
const send = createFetchClient({ querySerializer: { array: { style: 'form', explode: true } } })
  .request as unknown as Send;

/**
 * Encodes a request, sends it, and decodes the response. Arrays in the query become repeated keys; bodies are JSON.
 * @throws errors of `fetch`, TypeError for a URL or value that cannot be encoded, SyntaxError for a success response
 * whose body is not JSON
 */
export function transport({
  method,
  url,
  query,
  headers,
  body,
  fetch,
}: TransportRequest): Promise<TransportResponse> {
  return send(method, url, { params: { query }, headers, body, fetch });
}
