/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3).
 * @param header seconds or an HTTP date; null if absent
 * @param now current time in milliseconds since 1970
 * @returns milliseconds to wait, 0 for a past date, undefined for an absent or invalid header
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) {
    return Number(text) * 1000;
  }
  // Every HTTP date begins with the name of a day. `Date.parse` alone would also parse "-5" and "1.5" as dates.
  const date = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
