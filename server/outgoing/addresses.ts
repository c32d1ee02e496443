import { lookup as systemLookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { OutgoingError } from './errors.ts';

type Address = ReturnType<typeof ipaddr.process>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Non-public address ranges that the server may call. Created by {@link parseAllowedRanges}. */
export type AllowedRanges = readonly Range[];

/** Resolves a host name to all its addresses. Defaults to the system's resolver. */
export type Lookup = (hostname: string) => Promise<string[]>;

/** A host with addresses to check. */
export interface CheckedHost {
  /** A host name in lower case, or an address without brackets. */
  hostname: string;
  /** The only addresses to connect to; never empty. */
  addresses: string[];
}

const PUBLIC_IPV6: Range = ipaddr.parseCIDR('2000::/3');
// Without a trailing dot: curl does not match such a name against its list of pinned addresses.
const HOSTNAME_PATTERN = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/** The names of this computer (RFC 6761, section 6.3). */
const LOOPBACK_NAME_PATTERN = /(?:^|\.)localhost$/;
/** Names of local networks: without a dot, or below a reserved name (RFC 6762, RFC 8375, `.internal`). */
const LOCAL_NAME_PATTERN = /^[^.]*$|\.(?:local|internal|home\.arpa)$/;

const resolveBySystem: Lookup = async (hostname) =>
  (await systemLookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Parses a comma-separated list of address ranges, such as `127.0.0.0/8, fd00::/8` (`COLOPHON_OUTGOING_ALLOW`). A
 * single address is a range of one.
 *
 * @throws {Error} naming the invalid range
 */
export function parseAllowedRanges(text: string): AllowedRanges {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(parseRange);
}

/** Formats ranges for {@link parseAllowedRanges}, to pass them to another thread or process. */
export function formatAllowedRanges(ranges: AllowedRanges): string {
  return ranges.map(([address, bits]) => `${address}/${bits}`).join(',');
}

function parseRange(text: string): Range {
  const isAddress = ipaddr.isValid(text) && !text.includes('/');
  const range = isAddress ? `${text}/${text.includes(':') ? 128 : 32}` : text;
  if (!ipaddr.isValidCIDR(range)) {
    throw new Error(`"${text}" is not an address range. Use CIDR notation, such as 10.0.0.0/8 or fd00::/8.`);
  }
  return ipaddr.parseCIDR(range);
}

/**
 * Returns whether the server may connect to an address: a public one, or one in an allowed range. IPv4-mapped IPv6
 * addresses (RFC 4291, section 2.5.5.2) are treated as IPv4.
 */
export function isAddressAllowed(address: string, allowed: AllowedRanges): boolean {
  if (!ipaddr.isValid(address)) {
    return false;
  }
  const parsed = ipaddr.process(address);
  return isPublic(parsed) || allowed.some((range) => contains(range, parsed));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') {
    return false;
  }
  // The library also reports "unicast" for reserved IPv6 ranges outside global unicast (RFC 4291, section 2.4).
  return address.kind() === 'ipv4' || contains(PUBLIC_IPV6, address);
}

function contains(range: Range, address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range);
}

/**
 * Checks a URL's host without resolving it. A host that is rejected here is always rejected.
 *
 * @returns the host in lower case, an IPv6 address without brackets
 * @throws {OutgoingError} `invalid-url` for an invalid host name, `refused-address`
 */
export function requireHost(url: URL, allowed: AllowedRanges): string {
  const hostname = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(hostname)) {
    if (!isAddressAllowed(hostname, allowed)) {
      throw new OutgoingError(
        'refused-address',
        `The address ${hostname} is not public. ` +
          'Use a public host, or ask the operator to add its range to COLOPHON_OUTGOING_ALLOW.',
      );
    }
  } else if (!HOSTNAME_PATTERN.test(hostname)) {
    throw new OutgoingError('invalid-url', 'The host name of the URL is invalid. Check the part after "//".');
  } else if (isLocalName(hostname, allowed)) {
    throw new OutgoingError('refused-address', `The host ${hostname} is not public. Use a public host.`);
  }
  return hostname;
}

/** Returns whether a name cannot lead to a public address or one in an allowed range. */
function isLocalName(hostname: string, allowed: AllowedRanges): boolean {
  if (LOOPBACK_NAME_PATTERN.test(hostname)) {
    return !['127.0.0.1', '::1'].some((address) => isAddressAllowed(address, allowed));
  }
  return LOCAL_NAME_PATTERN.test(hostname) && allowed.length === 0;
}

/**
 * Resolves a URL's host once and checks all its addresses. Connect only to these addresses, so that the name cannot
 * resolve to another address between check and use.
 *
 * @throws {OutgoingError} `invalid-url`; `refused-address` if the URL contains an address that is not allowed;
 *   `unresolved` if the host name has no address or one that is not allowed. The two cases are indistinguishable, so
 *   that callers cannot probe names of the internal network.
 */
export async function checkHost(
  url: URL,
  allowed: AllowedRanges,
  lookup: Lookup = resolveBySystem,
): Promise<CheckedHost> {
  const hostname = requireHost(url, allowed);
  if (ipaddr.isValid(hostname)) {
    return { hostname, addresses: [hostname] };
  }
  const addresses = await resolve(hostname, lookup);
  const rejected = addresses.find((address) => !isAddressAllowed(address, allowed));
  if (rejected !== undefined) {
    throw unresolved(hostname, new Error(`${hostname} resolves to ${rejected}, which is not allowed.`));
  }
  return { hostname, addresses };
}

async function resolve(hostname: string, lookup: Lookup): Promise<string[]> {
  let addresses: string[] = [];
  try {
    addresses = await lookup(hostname);
  } catch (cause) {
    throw unresolved(hostname, cause);
  }
  if (addresses.length === 0) {
    throw unresolved(hostname, new Error(`${hostname} has no address.`));
  }
  return addresses;
}

function unresolved(hostname: string, cause: unknown): OutgoingError {
  return new OutgoingError(
    'unresolved',
    `The host ${hostname} has no public address. Check its name, or ask the operator to add its range to COLOPHON_OUTGOING_ALLOW.`,
    { cause },
  );
}
