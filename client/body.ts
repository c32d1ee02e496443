import { isRecord } from './errors.ts';
import { encodeQuery } from './query.ts';
import type { FetchBody, ParseAs } from './types.ts';

/**
 * Encodes the body of a request by its media type, and sets its `Content-Type`.
 * @param body JSON value, fields of a form, or a body of `fetch`, such as a `Blob`; undefined for none
 * @param contentType media type; `Content-Type` of the headers takes precedence. Default: JSON
 * @param headers headers of the request
 */
export function encodeBody(
  body: unknown,
  contentType: string | undefined,
  headers: Headers,
): FetchBody | null {
  if (body === undefined) {
    return null;
  }
  const type = headers.get('Content-Type') ?? contentType ?? 'application/json';
  if (body instanceof FormData || /^multipart\/form-data/i.test(type)) {
    // fetch sets the type, because it contains the boundary of the parts.
    headers.delete('Content-Type');
    return body instanceof FormData ? body : formDataOf(Object(body));
  }
  headers.set('Content-Type', type);
  if (isJson(type)) {
    return JSON.stringify(body);
  }
  // The types of calls allow only bodies that fetch sends unchanged for other media types.
  return /^application\/x-www-form-urlencoded/i.test(type) && !(body instanceof URLSearchParams)
    ? encodeQuery(Object(body))
    : (body as FetchBody);
}

/** Whether a media type is JSON: not one of sequences of JSON values, which are streams. */
export const isJson = (type: string): boolean =>
  /(^application\/|(?<!^application\/stream)\+)json\s*(;|$)/i.test(type);

/**
 * Creates a form. Arrays become repeated fields, null an empty text, and objects other than files JSON. A part of the
 * type of JSON requires a Blob, so it has the file name `blob`.
 */
function formDataOf(fields: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) {
        form.append(
          name,
          item instanceof Blob
            ? item
            : isRecord(item)
              ? new Blob([JSON.stringify(item)], { type: 'application/json' })
              : String(item ?? ''),
        );
      }
    }
  }
  return form;
}

/**
 * Reads the body of a success response.
 * @returns undefined for an empty JSON body, and for responses without content
 * @throws SyntaxError for a body that is not JSON
 */
export async function readBody(response: Response, parseAs: Exclude<ParseAs, 'stream'>): Promise<unknown> {
  if (response.status === 204) {
    return undefined;
  }
  if (parseAs !== 'json') {
    return response[parseAs]();
  }
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** Reads the body of an error response: JSON or plain text; undefined for another one, such as the page of a proxy. */
export async function readErrorBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    const isPlain = /^text\/plain\b/i.test(response.headers.get('Content-Type') ?? '');
    return isPlain && text !== '' ? text : undefined;
  }
}
