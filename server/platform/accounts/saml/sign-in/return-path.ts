/** Maximum length of a path to open after the sign-in. */
export const MAX_RETURN_PATH_CHARACTERS = 2048;

/** Backslashes are slashes for browsers; control characters and spaces are removed or end a header. */
const FORBIDDEN = /[^\x21-\x7e]|\\/;

/**
 * Returns whether a value is a path of this origin, with a query if necessary, that browsers can be redirected to.
 * Paths that resolve to one with two leading slashes, such as `/..//example.com`, are rejected as well.
 */
export function isReturnPath(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_RETURN_PATH_CHARACTERS || FORBIDDEN.test(value)) {
    return false;
  }
  const base = 'https://origin.invalid';
  return (
    value.startsWith('/') &&
    !value.startsWith('//') &&
    URL.canParse(value, base) &&
    new URL(value, base).origin === base &&
    !new URL(value, base).pathname.startsWith('//')
  );
}
