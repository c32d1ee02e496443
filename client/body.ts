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
    return body instanceof FormData ? body : formOf(Object(body), styles);
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
 * Encodes the fields of a form (RFC 7578). Arrays become repeated fields, null an empty text, and objects other than files
 * JSON. `FormData` could send a field with a media type only as a file, which many servers do not read as a field.
 */
function formOf(fields: Readonly<Record<string, unknown>>, styles?: ParameterStyles): Blob {
  // In lower case, as the type of a Blob.
  const boundary = `form-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  const parts: (string | Blob)[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const style = String(styleOf(styles, name) ?? '');
    const isJson = style === 'json';
    for (const item of Array.isArray(value) && !isJson ? value : [value]) {
      if (item === undefined) {
        continue;
      }
      const isFile = item instanceof Blob;
      const isObject = isJson || isRecord(item);
      const type = isFile ? item.type || 'application/octet-stream' : isObject ? 'application/json' : style;
      const filename = isFile && `; filename="${quoted(item instanceof File ? item.name : 'blob')}"`;
      parts.push(
        `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${filename || ''}`,
        `${type && `\r\nContent-Type: ${type}`}\r\n\r\n`,
        isFile ? item : type === 'application/json' ? JSON.stringify(item) : String(item ?? ''),
        '\r\n',
      );
    }
  }
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
}

/** Escapes the name of a field or a file (HTML, section 4.10.21.8). */
const quoted = (name: string): string => name.replace(/["\r\n]/g, encodeURIComponent);
