/**
 * Sends the connections of a process to public hosts to the fake services on loopback: every host name resolves to
 * loopback, and connections to the ports 80 and 443 go to their ports. `node --import` loads it before the server, so
 * the server's code does not change.
 */
import promises from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import net, { isIP } from 'node:net';
import tls from 'node:tls';

/** Variable with the {@link FakePorts} in JSON, for processes that load this module. */
export const PORTS_VARIABLE = 'COLOPHON_INTEROP_PORTS';

/** Ports of the fake services. */
export interface FakePorts {
  http: number;
  https: number;
}

/** Redirects the connections of this process. Returns a function that restores them. */
export function redirectConnections({ http, https }: FakePorts): () => void {
  const [lookup, connect, connectTls] = [promises.lookup, net.connect, tls.connect];
  // The server calls only this overload.
  promises.lookup = (async (host: string, options: object) =>
    isIP(host) === 0
      ? [{ address: '127.0.0.1', family: 4 }]
      : await lookup(host, options)) as typeof promises.lookup;
  // Only the HTTP client passes these options, always as one object.
  net.connect = ((options: net.TcpNetConnectOpts, ...rest: []) =>
    connect(
      Number(options.port) === 80 ? { ...options, port: http } : options,
      ...rest,
    )) as typeof net.connect;
  tls.connect = ((options: tls.ConnectionOptions, ...rest: []) =>
    connectTls(
      Number(options.port) === 443 ? { ...options, port: https, rejectUnauthorized: false } : options,
      ...rest,
    )) as typeof tls.connect;
  syncBuiltinESMExports();
  return () => {
    promises.lookup = lookup;
    net.connect = connect;
    tls.connect = connectTls;
    syncBuiltinESMExports();
  };
}

const ports = process.env[PORTS_VARIABLE];
if (ports !== undefined) {
  // Written by startService.
  redirectConnections(JSON.parse(ports) as FakePorts);
}
