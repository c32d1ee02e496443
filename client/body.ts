import { isRecord } from './errors.ts';
import { encodeQuery, type ParameterStyles, styleOf } from './query.ts';
import type { FetchBody } from './types.ts';

/**
 * Encodes the body of a request by its media type.
 * @param body JSON value, fields of a form, or a body of `fetch`, such as a `Blob`
 * @param type media type
 * @param styles styles of the fields of a form
 */
export function encodeBody(body: unknown, type: string, styles?: ParameterStyles): FetchBody {
  if (isForm(body, type)) {
    return body instanceof FormData ? body : formDataOf(Object(body), styles);
  }
  if (isJson(type)) {
    return JSON.stringify(body);
  }
  // The types of calls allow only bodies that fetch sends unchanged for other media types.
  return /^application\/x-www-form-urlencoded/i.test(type) && !(body instanceof URLSearchParams)
    ? encodeQuery(Object(body), styles)
    : (body as FetchBody);
}

/** Whether a body is sent as the parts of a form. */
export const isForm = (body: unknown, type: string): boolean =>
  body instanceof FormData || /^multipart\/form-data/i.test(type);

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
