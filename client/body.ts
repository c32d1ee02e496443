import { isRecord } from './errors.ts';
import { encodeQuery, type ParameterStyles, styleOf } from './query.ts';
import type { FetchBody, ParseAs } from './types.ts';

/**
 * Encodes the body of a request by its media type, and sets its `Content-Type`.
 * @param body JSON value, fields of a form, or a body of `fetch`, such as a `Blob`; undefined for none
 * @param contentType media type; `Content-Type` of the headers takes precedence. Default: JSON
 * @param headers headers of the request
 * @param styles styles of the fields of a form
 */
export function encodeBody(
  body: unknown,
  contentType: string | undefined,
  headers: Headers,
  styles?: ParameterStyles,
): FetchBody | null {
  if (body === undefined) {
    return null;
  }
  const type = headers.get('Content-Type') ?? contentType ?? 'application/json';
  if (body instanceof FormData || /^multipart\/form-data/i.test(type)) {
    // fetch sets the type, because it contains the boundary of the parts.
    headers.delete('Content-Type');
    return body instanceof FormData ? body : formDataOf(Object(body), styles);
  }
  headers.set('Content-Type', type);
  if (isJson(type)) {
    return JSON.stringify(body);
  }
  // The types of calls allow only bodies that fetch sends unchanged for other media types.
  return /^application\/x-www-form-urlencoded/i.test(type) && !(body instanceof URLSearchParams)
    ? encodeQuery(Object(body), styles)
    : (body as FetchBody);
}

/** Whether a media type is JSON: not one of sequences of JSON values, which are streams. */
export const isJson = (type: string): boolean =>
  /(^application\/|(?<!^application\/stream)\+)json\s*(;|$)/i.test(type);

/**
 * Creates a form. Arrays become repeated fields, null an empty text, and objects other than files JSON. A part with a
 * media type requires a Blob, so it has the file name `blob`.
 */
function formDataOf(fields: Readonly<Record<string, unknown>>, styles?: ParameterStyles): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    const style = String(styleOf(styles, name) ?? '');
    const isJson = style === 'json';
    for (const item of Array.isArray(value) && !isJson ? value : [value]) {
      if (item === undefined || item instanceof Blob) {
        item && form.append(name, item);
        continue;
      }
      const type = isJson || isRecord(item) ? 'application/json' : style;
      const text = type === 'application/json' ? JSON.stringify(item) : String(item ?? '');
      form.append(name, type ? new Blob([text], { type }) : text);
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
