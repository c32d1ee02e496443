import type { Request } from 'express';

/** Maximum length of an `Accept` header. Longer headers are ignored: parsing them would cost more than the request. */
export const MAX_ACCEPT_CHARACTERS = 4096;

/**
 * Returns which of the media types of a response the caller prefers (RFC 9110, section 12.5.1): the first one for a
 * request without `Accept`, and undefined if it accepts none. Only an `Accept` with several media types is parsed in
 * full.
 *
 * @param types without ranges, and not empty
 */
export function preferredType(req: Request, types: readonly string[]): string | undefined {
  const accept = req.headers.accept;
  const [first] = types;
  if (!accept || accept.length > MAX_ACCEPT_CHARACTERS || accept === '*/*' || accept === first) {
    return first;
  }
  return req.accepts([...types]) || undefined;
}
