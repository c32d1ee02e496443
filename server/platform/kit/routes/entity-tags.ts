/**
 * Returns whether `If-None-Match` matches an entity tag (RFC 9110, section 13.1.2: weak comparison). Not `req.fresh`,
 * which ignores the header for requests with `Cache-Control: no-cache`, as sent by `fetch`.
 *
 * @param tag including the quotes
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) {
    return false;
  }
  if (header.trim() === '*') {
    return true;
  }
  return header.split(',').some((value) => value.trim().replace(/^W\//, '') === tag);
}
