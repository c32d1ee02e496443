import type { Request } from 'express';

/**
 * Whether a caller takes JSON (RFC 9110, section 12.5.1): it does where it does not say. Only an
 * `Accept` that weighs types against each other needs to be read closely.
 */
export function acceptsJson(req: Request): boolean {
  const accept = req.headers.accept;
  if (!accept || accept === '*/*' || accept === 'application/json') return true;
  return req.accepts('application/json') !== false;
}
