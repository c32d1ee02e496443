/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3).
 * @param header seconds or an HTTP date; null when there is none
 * @param now the present, in milliseconds since 1970
 * @returns how many milliseconds to wait, 0 for a date that has passed, undefined when the header says nothing
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) {
    return Number(text) * 1000;
  }
  // Every HTTP date begins with the name of a day: `Date.parse` alone would also take "-5" or "1.5" for a date.
  const date = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
