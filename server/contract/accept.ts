import type { Request } from 'express';

/** A longer `Accept` is taken for none: it would take longer to read than the request to serve. */
export const MAX_ACCEPT_CHARACTERS = 4096;

/**
 * Whether a caller takes JSON (RFC 9110, section 12.5.1): it does where it does not say. Only an
 * `Accept` that weighs types against each other needs to be read closely.
 */
export function acceptsJson(req: Request): boolean {
  const accept = req.headers.accept;
  if (!accept || accept.length > MAX_ACCEPT_CHARACTERS || accept === '*/*' || accept === 'application/json')
    return true;
  return req.accepts('application/json') !== false;
}
