/**
 * Returns a path in which all characters outside of ASCII, and those that no URL contains, are percent-encoded, with
 * upper-case digits. Encoded characters of ASCII remain encoded: a proxy that restricts paths may compare them.
 *
 * @param isReceived whether each character is a byte, as in the request target that Node returns
 */
export function encodedPath(path: string, isReceived = false): string {
  if (!UNUSUAL.test(path)) {
    return path;
  }
  return path
    .toWellFormed()
    .replaceAll(UNUSUAL_PARTS, (part) =>
      part.startsWith('%') ? part.toUpperCase() : isReceived ? encodedBytes(part) : encodeURIComponent(part),
    );
}

/** A percent sign, or a character that a URL must encode. */
const UNUSUAL = /[^!$&-;=@-Z_a-z~[\]?#{}]/;
const UNUSUAL_PARTS = /%[\da-fA-F]{2}|[^!$%&-;=@-Z_a-z~[\]?#{}]+/g;

const encodedBytes = (text: string) =>
  Buffer.from(text, 'latin1').toString('hex').toUpperCase().replaceAll(/../g, '%$&');
