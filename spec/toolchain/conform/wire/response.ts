import { brotliDecompressSync, unzipSync } from 'node:zlib';
import { messageOf } from '../../../../server/contract/errors.ts';
import type { Json } from '../../document.ts';
import type { WireResponse } from './exchange.ts';

/** Maximum size of a response body, in bytes. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Returns whether a media type is JSON (RFC 8259, RFC 6839). */
export const isJsonType = (mediaType: string): boolean =>
  /^(application\/json|text\/json|[^/]+\/[^;]+\+json)\s*(;|$)/i.test(mediaType.trim());

/** Returns whether a media type is a sequence that a server may extend while it is read. */
export const isStreamType = (mediaType: string): boolean =>
  /^(text\/event-stream|application\/(x-)?(ndjson|jsonl|json-lines|jsonlines|json-seq|stream\+json)|multipart\/x-mixed-replace)\s*(;|$)/i.test(
    mediaType.trim(),
  );

/** Returns whether a response can have a body (RFC 9110, 6.4.1). */
export const mayHaveBody = (method: string, status: number): boolean =>
  method !== 'HEAD' && status >= 200 && status !== 204 && status !== 304;

/**
 * Returns whether a response is probably of the HTTP parser, which rejects a request before an application receives it
 * (RFC 9110, 15.5.15; RFC 6585, 5), so that no contract describes it.
 */
export const isOfParser = ({ status, body }: WireResponse): boolean =>
  (status === 414 || status === 431) && body.length === 0;

/** Reads a response, and parses its body if it is JSON and complete. */
export function readResponse(
  method: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  isPartial = false,
): WireResponse {
  const response: WireResponse = { status, headers, body: bytes };
  if (!mayHaveBody(method, status) || isPartial) {
    return response;
  }
  try {
    response.body = decode(bytes, headers['content-encoding']);
  } catch (error) {
    return { ...response, unreadable: `it does not match its Content-Encoding: ${messageOf(error)}` };
  }
  if (!isJsonType(headers['content-type'] ?? '')) {
    return response;
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(response.body);
    if (text === '') {
      return response;
    }
    // The parser returns only JSON values.
    response.json = JSON.parse(text) as Json;
  } catch (error) {
    response.unreadable = messageOf(error);
  }
  return response;
}

function decode(bytes: Uint8Array, encoding: string | undefined): Uint8Array {
  const limits = { maxOutputLength: MAX_RESPONSE_BYTES };
  switch (encoding?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return unzipSync(bytes, limits);
    case 'br':
      return brotliDecompressSync(bytes, limits);
    default:
      return bytes;
  }
}
