// The only file that knows openapi-fetch: to put another library in its place, rewrite this one.
import createFetchClient from 'openapi-fetch';
import type { Fetch } from './exchange.ts';

/** One request, settled but for its encoding. */
export interface Outgoing {
  method: string;
  /** Scheme, host and path, with every path value filled in. */
  url: string;
  query: Readonly<Record<string, unknown>> | undefined;
  headers: Headers;
  /** What to send as JSON; undefined for no body. */
  body: unknown;
  fetch: Fetch;
}

/** What came back: `data` for a success, `error` for a failure, both undefined where the body is empty. */
export interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** openapi-fetch without its types: ours are computed from the contract in `types.ts`, stricter and without its names. */
type Send = (method: string, url: string, init: object) => Promise<Answer>;

// The cast forgets the library's types, as said above; the shape is that of its documented `request`.
const send = createFetchClient({ querySerializer: { array: { style: 'form', explode: true } } })
  .request as unknown as Send;

/**
 * Encodes a request, sends it, and decodes the answer: query values that are lists become repeated keys, bodies are
 * JSON.
 * @throws whatever `fetch` throws, TypeError for an address or value that cannot be encoded, SyntaxError for a
 * success whose body is not JSON
 */
export function transport({ method, url, query, headers, body, fetch }: Outgoing): Promise<Answer> {
  return send(method, url, { params: { query }, headers, body, fetch });
}
