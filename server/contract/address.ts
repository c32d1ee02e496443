import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * The IP address of the caller: of the connection, or what a trusted proxy forwards (the Express setting
 * `trust proxy`). An IPv4 address has one form, whichever kind of socket it came in by. Empty once the
 * connection is gone.
 */
export function callerAddress(req: Request): string {
  const address = req.ip !== undefined && isIP(req.ip) ? req.ip : req.socket.remoteAddress;
  return (address ?? '').replace(MAPPED_IPV4, '');
}

/** How a socket of IPv6 writes an IPv4 address (RFC 4291, section 2.5.5.2). */
const MAPPED_IPV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** The bytes of an IPv6 address that its network has; a caller may use any of the others. */
const NETWORK_BYTES = 8;

/** What an address is counted by: of IPv6 the network of 64 bits, because one caller has all of it. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const zone = address.indexOf('%');
  const bytes = ipaddr.parse(zone < 0 ? address : address.slice(0, zone)).toByteArray();
  return `${Buffer.from(bytes.slice(0, NETWORK_BYTES)).toString('hex')}/64`;
}
