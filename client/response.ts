import { isJson } from './body.ts';
import { isRecord } from './errors.ts';
import type { ParseAs } from './types.ts';

const typeOf = (response: Response): string => response.headers.get('Content-Type') ?? '';

/** Returns how a response is read by its media type. One without a type is JSON. */
export function readAs(response: Response): Exclude<ParseAs, 'auto'> {
  const type = typeOf(response);
  if (type === '' || isJson(type)) {
    return 'json';
  }
  if (/^text\/event-stream|^application\/.*json/i.test(type)) {
    return 'stream';
  }
  return /^text\/|^application\/(x-)?(yaml|javascript)\b|[/+](xml|yaml)\b/i.test(type) ? 'text' : 'blob';
}

/**
 * Reads the body of a success response.
 * @param parseAs undefined for JSON, or for text if the media type is text and the body is neither an object nor a list.
 * The page of a proxy is no such text
 * @returns undefined for an empty JSON body, and for responses without content
 * @throws SyntaxError for a body that is not JSON
 */
export async function readBody(
  response: Response,
  parseAs: Exclude<ParseAs, 'stream' | 'auto'> | undefined,
): Promise<unknown> {
  if (response.status === 204) {
    return undefined;
  }
  if (parseAs !== undefined && parseAs !== 'json') {
    return response[parseAs]();
  }
  const text = await response.text();
  if (text === '') {
    return undefined;
  }
  const isText = () => parseAs === undefined && /^text\/(?!html)/i.test(typeOf(response));
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) || !isText() ? value : text;
  } catch (cause) {
    if (isText()) {
      return text;
    }
    throw cause;
  }
}

/**
 * Returns the body of an error response: JSON, plain text or XML; undefined for another one, such as the page of a proxy.
 * @param read the body as openapi-fetch reads it: the value of its JSON, or else its text
 */
export function errorBody(read: unknown, response: Response): unknown {
  const type = typeOf(response);
  const isBody = isJson(type) || /^(text\/plain|(application|text)\/(?!xhtml)([\w.-]+\+)?xml)\b/i.test(type);
  const isNone = typeof read === 'string' && (read === '' || !isBody);
  return isNone ? undefined : read;
}
