import type { Request } from 'express';

/** How a socket of IPv6 writes an IPv4 address (RFC 4291, section 2.5.5.2). */
const MAPPED_IPV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/**
 * The IP address of the caller: of the connection, or what a trusted proxy forwards (the Express setting
 * `trust proxy`). An IPv4 address has one form, whichever kind of socket it came in by. Empty once the
 * connection is gone.
 */
export const callerAddress = (req: Request): string => (req.ip ?? '').replace(MAPPED_IPV4, '');
