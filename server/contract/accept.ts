import type { Request } from 'express';

/** Maximum length of an `Accept` header. Longer headers are ignored: parsing them would cost more than the request. */
export const MAX_ACCEPT_CHARACTERS = 4096;

/**
 * Returns whether the caller accepts JSON (RFC 9110, section 12.5.1); a request without `Accept` does. Only
 * an `Accept` with several media types is parsed in full.
 */
export function acceptsJson(req: Request): boolean {
  const accept = req.headers.accept;
  if (!accept || accept.length > MAX_ACCEPT_CHARACTERS || accept === '*/*' || accept === 'application/json') {
    return true;
  }
  return req.accepts('application/json') !== false;
}
