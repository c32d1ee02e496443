import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * Returns the IP address of the caller: that of the connection, or the one forwarded by a trusted proxy (the
 * Express setting `trust proxy`). IPv4-mapped IPv6 addresses are returned as IPv4. Empty once the connection
 * is closed.
 */
export function callerAddress(req: Request): string {
  const address = req.ip !== undefined && isIP(req.ip) ? req.ip : req.socket.remoteAddress;
  return (address ?? '').replace(MAPPED_IPV4, '');
}

/** Returns a host and a port as in a URL: an IPv6 address is in brackets (RFC 3986, section 3.2.2). */
export const hostAndPort = (host: string, port: number): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Prefix of an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2). */
const MAPPED_IPV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** Length of the network part of an IPv6 address. A caller usually controls the remaining bytes. */
const NETWORK_BYTES = 8;

/** Returns the rate-limit key of an address: the address itself for IPv4, the /64 network for IPv6. */
export function addressKey(address: string): string {
  if (!address.includes(':')) {
    return address;
  }
  const zone = address.indexOf('%');
  const bytes = ipaddr.parse(zone < 0 ? address : address.slice(0, zone)).toByteArray();
  return `${Buffer.from(bytes.slice(0, NETWORK_BYTES)).toString('hex')}/64`;
}
