/**
 * Percent-encodes all characters of a path that are outside of ASCII or not allowed in URLs, with upper-case digits.
 * Encoded characters of ASCII remain encoded: a proxy that restricts paths may compare them.
 */
export function encodedPath(path: string): string {
  if (!UNUSUAL.test(path)) {
    return path;
  }
  return path
    .toWellFormed()
    .replaceAll(UNUSUAL_PARTS, (part) =>
      part.startsWith('%') ? part.toUpperCase() : encodeURIComponent(part),
    );
}

/** A percent sign, or a character that a URL must encode. */
const UNUSUAL = /[^!$&-;=@-Z_a-z~[\]?#{}]/;
const UNUSUAL_PARTS = /%[\da-fA-F]{2}|[^!$%&-;=@-Z_a-z~[\]?#{}]+/g;
