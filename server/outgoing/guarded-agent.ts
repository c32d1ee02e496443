import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Agent } from 'undici';
import { type AllowedRanges, checkHost, type Lookup } from './addresses.ts';

/** Time limit for connecting to a host. */
export const FETCH_CONNECT_TIMEOUT_MS = 10_000;

/**
 * Creates an agent for untrusted URLs. A host name is resolved when the connection is opened, all its addresses are
 * checked, and the socket connects to one of them, so that the name cannot resolve to another address between check
 * and use. URLs that contain an address must be checked with `requireFetchable`.
 *
 * @param lookup replaces the system's resolver
 */
export const createGuardedAgent = (allow: AllowedRanges, lookup?: Lookup): Agent =>
  new Agent({
    allowH2: false,
    connections: 8,
    connect: { lookup: guardedLookup(allow, lookup), timeout: FETCH_CONNECT_TIMEOUT_MS },
  });

/** Creates the lookup function of sockets, which resolves and checks the addresses to connect to. */
function guardedLookup(allow: AllowedRanges, lookup: Lookup | undefined): LookupFunction {
  return (hostname, options, callback) => {
    const host = new URL('http://host');
    host.hostname = hostname;
    checkHost(host, allow, lookup).then(
      ({ addresses }) => {
        const resolved = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = resolved;
        if (options.all) {
          callback(null, resolved);
        } else {
          callback(null, first?.address ?? '', first?.family);
        }
      },
      (error: Error) => callback(error, []),
    );
  };
}
