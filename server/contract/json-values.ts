/** Returns whether a value is an object, not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Steps from the root of a JSON value: names and indexes. */
export type Steps = readonly (string | number)[];

/** Escapes a name as a token of a JSON Pointer (RFC 6901, section 3). */
export const escapeToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Decodes a token of a JSON Pointer (RFC 6901, section 4). */
export const unescapeToken = (token: string): string =>
  token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;

/** Formats steps as a JSON Pointer: `/a~1b/0`; empty for the root. */
export const formatPointer = (steps: Steps): string =>
  steps.map((step) => `/${escapeToken(String(step))}`).join('');

/** Returns the steps of a JSON Pointer. */
export const parsePointer = (pointer: string): string[] => pointer.split('/').slice(1).map(unescapeToken);

/** Formats steps as a reference, a JSON Pointer in a URI fragment (RFC 6901, section 6): `#/a~1b/0`. */
export const formatReference = (steps: Steps): string =>
  `#${formatPointer(steps).replaceAll('%', '%25').replaceAll('#', '%23')}`;

/** Returns the steps of a reference within a document. */
export const parseReference = (reference: string): string[] =>
  reference === '#' ? [] : reference.slice(2).split('/').map(unescapeFragmentToken);

/** Decodes a token of a reference (RFC 6901, section 6). */
export function unescapeFragmentToken(token: string): string {
  if (!token.includes('%')) {
    return unescapeToken(token);
  }
  try {
    return unescapeToken(decodeURIComponent(token));
  } catch {
    // A percent sign without a valid escape is literal.
    return unescapeToken(token);
  }
}

const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

/** Returns the own member of an object, or the item of a list; undefined if there is none. */
export function memberOf(value: unknown, step: string | number): unknown {
  const isContainer = Array.isArray(value) ? ARRAY_INDEX.test(String(step)) : isObject(value);
  return isContainer && Object.hasOwn(Object(value), step) ? Reflect.get(Object(value), step) : undefined;
}

/** Returns the value at some steps from a root; undefined if there is none. */
export const valueAt = (root: unknown, steps: Steps): unknown => steps.reduce<unknown>(memberOf, root);

/** Maximum number of references that lead to each other. */
export const MAX_REFERENCE_HOPS = 32;

/**
 * Follows references to a value that is not a reference.
 *
 * @param targetOf returns the target of a reference
 * @returns undefined if a target is undefined, or the references lead to each other
 */
export function followReferences(value: unknown, targetOf: (reference: string) => unknown): unknown {
  let target = value;
  for (let hops = 0; isObject(target) && typeof target.$ref === 'string'; hops += 1) {
    target = hops > MAX_REFERENCE_HOPS ? undefined : targetOf(target.$ref);
  }
  return target;
}

/** Returns a text as it is, and any other value as JSON. */
export const textOrJson = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Maximum length of a value in a message. */
const MAX_BRIEF_CHARACTERS = 80;

/** Returns a value as JSON for a message, truncated. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_BRIEF_CHARACTERS ? `${text.slice(0, MAX_BRIEF_CHARACTERS)}…` : text;
}

/** Returns the items of a list; none for any other value. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns a text as source code of TypeScript, in single quotes. */
export const textLiteral = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
