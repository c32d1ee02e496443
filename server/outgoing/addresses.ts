import { lookup as systemLookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { OutgoingError } from './errors.ts';

type Address = ReturnType<typeof ipaddr.process>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Address ranges beyond the public ones that the server may call. Made by {@link parseAllowedRanges}. */
export type AllowedRanges = readonly Range[];

/** Resolves a host name to all its addresses. The system's resolver by default; tests pass their own. */
export type Lookup = (hostname: string) => Promise<string[]>;

/** Where a host may be called: its name as the caller wrote it, and the checked addresses to connect to. */
export interface CheckedHost {
  /** A host name in lower case, or an address without brackets. */
  hostname: string;
  /** The only addresses to connect to; never empty. */
  addresses: string[];
}

const publicIPv6: Range = ipaddr.parseCIDR('2000::/3');
// Without a dot at the end: curl would not find such a name among the addresses it is bound to.
const hostnamePattern = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

const resolveBySystem: Lookup = async (hostname) =>
  (await systemLookup(hostname, { all: true, verbatim: true })).map((found) => found.address);

/**
 * Reads a comma-separated list of address ranges, such as `127.0.0.0/8, fd00::/8`. A lone address is the
 * range of itself (`COLOPHON_OUTGOING_ALLOW`).
 *
 * @throws {Error} naming the part that is not a range.
 */
export function parseAllowedRanges(text: string): AllowedRanges {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(parseRange);
}

/** Writes ranges as {@link parseAllowedRanges} reads them, for another thread or process. */
export function formatAllowedRanges(ranges: AllowedRanges): string {
  return ranges.map(([address, bits]) => `${address}/${bits}`).join(',');
}

function parseRange(text: string): Range {
  const alone = ipaddr.isValid(text) && !text.includes('/');
  const range = alone ? `${text}/${text.includes(':') ? 128 : 32}` : text;
  if (!ipaddr.isValidCIDR(range)) {
    throw new Error(`"${text}" is not an address range. Write it as in 10.0.0.0/8 or fd00::/8.`);
  }
  return ipaddr.parseCIDR(range);
}

/**
 * Whether the server may connect to an address: public ones, and those in an allowed range. An IPv4 address
 * inside an IPv6 one (RFC 4291, section 2.5.5.2) counts as the IPv4 address it is.
 */
export function isAddressAllowed(address: string, allowed: AllowedRanges): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return isPublic(parsed) || allowed.some((range) => contains(range, parsed));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  // What is neither special nor global unicast (RFC 4291, section 2.4) is "unicast" to the library as well.
  return address.kind() === 'ipv4' || contains(publicIPv6, address);
}

function contains(range: Range, address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range);
}

/**
 * Checks a URL's host as far as can be done without resolving it: what is refused here is refused at every call.
 *
 * @returns the host in lower case, an IPv6 address without its brackets
 * @throws {OutgoingError} `invalid-url` for no name that can be looked up, `refused-address`
 */
export function requireHost(url: URL, allowed: AllowedRanges): string {
  const hostname = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(hostname)) {
    if (!isAddressAllowed(hostname, allowed))
      throw new OutgoingError(
        'refused-address',
        `The address ${hostname} is not public, and the server only calls public addresses. ` +
          'Use a public host, or have the operator add its range to COLOPHON_OUTGOING_ALLOW.',
      );
  } else if (!hostnamePattern.test(hostname)) {
    throw new OutgoingError(
      'invalid-url',
      'The URL has no host name that can be looked up. Check the part after "//".',
    );
  }
  return hostname;
}

/**
 * Resolves a URL's host once and checks every address it has; the caller connects to these addresses and
 * asks no resolver again, so that a name cannot point elsewhere between check and use.
 *
 * @throws {OutgoingError} `invalid-url`; `refused-address` for an address that is not allowed; `unresolved` for a
 *   name without an address, and just the same for one with an address that is not allowed: who asks from outside
 *   learns nothing about the names of the network inside.
 */
export async function checkHost(
  url: URL,
  allowed: AllowedRanges,
  lookup: Lookup = resolveBySystem,
): Promise<CheckedHost> {
  const hostname = requireHost(url, allowed);
  if (ipaddr.isValid(hostname)) return { hostname, addresses: [hostname] };
  const addresses = await resolve(hostname, lookup);
  const refused = addresses.find((address) => !isAddressAllowed(address, allowed));
  if (refused !== undefined)
    throw unresolved(hostname, new Error(`${hostname} has the address ${refused}, which is not allowed.`));
  return { hostname, addresses };
}

async function resolve(hostname: string, lookup: Lookup): Promise<string[]> {
  let addresses: string[] = [];
  try {
    addresses = await lookup(hostname);
  } catch (cause) {
    throw unresolved(hostname, cause);
  }
  if (addresses.length === 0) throw unresolved(hostname, new Error(`${hostname} has no address.`));
  return addresses;
}

function unresolved(hostname: string, cause: unknown): OutgoingError {
  return new OutgoingError(
    'unresolved',
    `The host ${hostname} has no public address. Check its name, or have the operator add its range to COLOPHON_OUTGOING_ALLOW.`,
    { cause },
  );
}
