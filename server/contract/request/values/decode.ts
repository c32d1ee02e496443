/** Message of a fault for a name or value that cannot be decoded. */
export const INVALID_ENCODING =
  'has invalid percent-encoding: each % must be followed by two hexadecimal digits, and the text must be UTF-8 without U+0000';

/** Decodes a text of a request; undefined if it is invalid. */
export type Decode = (text: string) => string | undefined;

/** Decodes percent-encoded text. Returns undefined also for U+0000, which PostgreSQL does not store. */
export const decodePercent: Decode = (text) => {
  try {
    const decoded = text.includes('%') ? decodeURIComponent(text) : text;
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

/** Decodes a name or value of a query or form, where a plus is a space. */
export const decodeForm: Decode = (text) =>
  decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);

/** Decodes the text of a cookie, which is not necessarily encoded. Returns undefined for U+0000. */
export const decodeCookie: Decode = (text) => {
  if (!text.includes('%')) {
    return text;
  }
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return text;
  }
};

/** The text of a header is not encoded. */
export const decodeHeader: Decode = (text) => text;
