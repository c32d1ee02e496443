import { type Fault, requestMalformed } from './errors.ts';

/** A request target, split into its raw path and query. */
export interface Target {
  path: string;
  /** Without the question mark; empty if there is no query. */
  query: string;
}

/**
 * Parses a request target. The absolute form (`GET http://host/path`), which a server must accept (RFC 9112,
 * section 3.2.2), is reduced to its path.
 *
 * @throws ContractError 400 if the target contains a fragment
 */
export function parseTarget(url: string): Target {
  if (url.includes('#')) {
    throw requestMalformed(
      'The request target contains a #. Omit the fragment, or encode the character as %23.',
      [{ in: 'path', path: '', message: 'must not contain a #' }],
    );
  }
  const origin = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  return mark < 0
    ? { path: origin, query: '' }
    : { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
}

const NO_NUMBER = 'must be a number';
const INVALID_ENCODING =
  'has invalid percent-encoding: each % must be followed by two hexadecimal digits, and the text must be UTF-8 without U+0000';

/**
 * Decodes the parameters of a path; `%2F` becomes part of a value.
 *
 * @param numbers names of the parameters that must be numbers
 * @param faults receives a fault for each invalid parameter; these are omitted
 */
export function readPath(
  names: readonly string[],
  raw: string[],
  numbers: ReadonlySet<string>,
  faults: Fault[],
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decode(raw[index] ?? '');
    if (value === undefined) {
      faults.push({ in: 'path', path: name, message: INVALID_ENCODING });
    } else if (numbers.has(name) && !isNumberText(value)) {
      faults.push({ in: 'path', path: name, message: NO_NUMBER });
    } else {
      values[name] = value;
    }
  }
  return values;
}

/** Maximum number of query parameters, including repeated ones. */
export const MAX_QUERY_PARAMETERS = 2000;

/** The query parameters that an operation declares, by name. */
export type QueryNames = ReadonlyMap<string, QueryForm>;

/** How the text of a query parameter is read. */
export interface QueryForm {
  /** Whether the value is a list. */
  isList: boolean;
  /** Whether the text, or that of each item, must be a number. */
  isNumber: boolean;
  /** Whether the items of a list are separated by commas. Otherwise, the parameter is repeated. */
  isJoined: boolean;
}

/** Pattern of JSON numbers. Stricter than the coercion of the validator, which accepts a space and 0x10. */
const NUMBER_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns whether a text is a number. Numbers out of range become Infinity, which passes any `maximum`. */
export const isNumberText = (text: string) => NUMBER_TEXT.test(text) && Number.isFinite(Number(text));

/**
 * Decodes the parameters of a query; repeated parameters become an array. Checks what the validator cannot check or
 * reports one at a time: unknown names, names without a value (`?page`), invalid encoding.
 *
 * @param faults receives a fault for each invalid parameter; these are omitted
 */
export function readQuery(
  query: string,
  declared: QueryNames,
  faults: Fault[],
  maxParameters = MAX_QUERY_PARAMETERS,
): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  if (query === '') {
    return values;
  }
  const pairs = query.split('&', maxParameters + 1);
  if (pairs.length > maxParameters) {
    faults.push({
      in: 'query',
      path: '',
      message: `must not have more than ${maxParameters} parameters`,
    });
    return values;
  }
  for (const pair of pairs) {
    if (pair === '') {
      continue;
    }
    const mark = pair.indexOf('=');
    const name = decode(mark < 0 ? pair : pair.slice(0, mark), true);
    const value = mark < 0 ? '' : decode(pair.slice(mark + 1), true);
    const fault = (message: string) => faults.push({ in: 'query', path: name ?? '', message });
    const form = declared.get(name ?? '');
    if (name === undefined || value === undefined) {
      fault(INVALID_ENCODING);
    } else if (!form) {
      fault(`is not a known parameter (${knownNames(declared)})`);
    } else if (value === '') {
      fault('must have a value');
    } else if (form.isNumber && !form.isList && !isNumberText(value)) {
      fault(NO_NUMBER);
    } else {
      append(values, name, itemsOf(value, form));
    }
  }
  return values;
}

/** Adds a value; repeated parameters become an array. */
function append(values: Record<string, string | string[]>, name: string, value: string | string[]): void {
  const previous = values[name];
  if (Array.isArray(previous)) {
    previous.push(...[value].flat());
  } else {
    values[name] = previous === undefined ? value : [previous, value].flat();
  }
}

/**
 * Splits the items of a list. One that must be a number and is not is quoted: the validator would read `0x10` as 16, but
 * rejects `"0x10"`, with its index.
 */
function itemsOf(text: string, { isList, isNumber, isJoined }: QueryForm): string | string[] {
  if (!isList || !(isNumber || isJoined)) {
    return text;
  }
  const items = isJoined ? text.split(',') : [text];
  return isNumber ? items.map((item) => (isNumberText(item) ? item : JSON.stringify(item))) : items;
}

function knownNames(declared: QueryNames): string {
  return declared.size === 0 ? 'the operation has none' : `known: ${[...declared.keys()].join(', ')}`;
}

/**
 * Decodes percent-encoded text; in form encoding, a plus is a space. Returns undefined if the encoding is invalid, or
 * if the text contains U+0000, which PostgreSQL does not store.
 */
function decode(text: string, form = false): string | undefined {
  const spaced = form && text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) {
    return spaced;
  }
  try {
    const text = decodeURIComponent(spaced);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
