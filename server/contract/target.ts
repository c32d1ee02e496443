import { badRequest, type Fault } from './errors.ts';

/** A request target in its two parts, both as they were sent. */
export interface Target {
  path: string;
  /** Without the question mark; empty where there is none. */
  query: string;
}

/**
 * Takes a request target apart. The absolute form (`GET http://host/path`), which a server must accept
 * (RFC 9112, section 3.2.2), is the same as its path; a fragment has no place in a target.
 *
 * @throws ContractError 400 for a target with a fragment
 */
export function parseTarget(url: string): Target {
  if (url.includes('#'))
    throw badRequest('The request target holds a #; leave the fragment out, or write the character as %23.', [
      { in: 'path', path: '', message: 'must not hold a #' },
    ]);
  const origin = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  return mark < 0
    ? { path: origin, query: '' }
    : { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
}

const BAD_ENCODING =
  'has bad percent-encoding: each % goes before two hexadecimal digits, of UTF-8 text without U+0000';

/**
 * The parameters of a path, decoded; `%2F` becomes part of a value.
 *
 * @param faults where badly encoded ones are told; they are left out
 */
export function readPath(names: readonly string[], raw: string[], faults: Fault[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decode(raw[index] ?? '');
    if (value === undefined) faults.push({ in: 'path', path: name, message: BAD_ENCODING });
    else values[name] = value;
  }
  return values;
}

/** How many parameters a query may have, repeated ones counted each time. */
export const MAX_QUERY_PARAMETERS = 2000;

/** The query parameters that an operation knows, by name, with what the text of a value must look like. */
export type QueryNames = ReadonlyMap<string, RegExp | undefined>;

/** The numbers of JSON: a validator that takes text for numbers also takes a space, or 0x10. */
export const NUMBER_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The parameters of a query, decoded; one that stands several times becomes an array. The validator
 * would tell the faults of a query one at a time, or fail on them: unknown names, names without a value
 * (`?page`), bad encoding.
 *
 * @param faults where these are told; parameters at fault are left out
 */
export function readQuery(
  query: string,
  known: QueryNames,
  faults: Fault[],
): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  if (query === '') return values;
  const pairs = query.split('&', MAX_QUERY_PARAMETERS + 1);
  if (pairs.length > MAX_QUERY_PARAMETERS) {
    faults.push({
      in: 'query',
      path: '',
      message: `must not have more than ${MAX_QUERY_PARAMETERS} parameters`,
    });
    return values;
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const mark = pair.indexOf('=');
    const name = decode(mark < 0 ? pair : pair.slice(0, mark), true);
    const value = mark < 0 ? '' : decode(pair.slice(mark + 1), true);
    const fault = (message: string) => faults.push({ in: 'query', path: name ?? '', message });
    const form = known.get(name ?? '');
    if (name === undefined || value === undefined) fault(BAD_ENCODING);
    else if (!known.has(name)) fault('is not a parameter of this operation');
    else if (value === '') fault('must have a value');
    // A number too large for one becomes Infinity, which a validator holds against no limit.
    else if (form && !(form.test(value) && Number.isFinite(Number(value)))) fault('must be a number');
    else {
      const before = values[name];
      if (Array.isArray(before)) before.push(value);
      else values[name] = before === undefined ? value : [before, value];
    }
  }
  return values;
}

/**
 * Percent-decodes text; in a form's encoding, a plus is a space. Undefined where that fails, and for
 * text with U+0000, which PostgreSQL does not store.
 */
function decode(text: string, form = false): string | undefined {
  const spaced = form && text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    const text = decodeURIComponent(spaced);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
