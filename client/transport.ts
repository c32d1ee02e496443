// The only file that imports openapi-fetch: the encoding of query parameters. Its client is not used, because
// bundlers would include its middleware in every application.
import { createQuerySerializer } from 'openapi-fetch';
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

/** Decoded response. The body is undefined if it is empty. */
export interface TransportResponse {
  body: unknown;
  response: Response;
}

const serializeQuery = createQuerySerializer({ array: { style: 'form', explode: true } });

/**
 * Encodes a request, sends it, and decodes the response. Arrays in the query become repeated keys; bodies are JSON.
 * @throws errors of `fetch`, TypeError for a URL or value that cannot be encoded, SyntaxError for a success response
 * whose body is not JSON
 */
export async function transport({
  method,
  url,
  query,
  headers,
  body,
  fetch,
}: TransportRequest): Promise<TransportResponse> {
  const search = serializeQuery(query ?? {});
  if (body !== undefined && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/json');
  }
  const request = new Request(search === '' ? url : `${url}?${search}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await fetch(request);
  const text = await response.text();
  return { body: text === '' ? undefined : parseBody(text, response), response };
}

/** Parses JSON. The body of an error response can be another text, such as the page of a proxy. */
function parseBody(text: string, { ok }: Response): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (ok) {
      throw error;
    }
    return text;
  }
}
