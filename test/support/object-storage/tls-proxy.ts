import { once } from 'node:events';
import { request as forward, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** An HTTPS server in front of an object storage. */
export interface TlsProxy {
  port: number;
  /** Headers of all requests. */
  received: IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** Starts an HTTPS server that forwards requests to a port of loopback unchanged. */
export async function startTlsProxy(
  target: number,
  { certificate, key }: { certificate: string; key: string },
): Promise<TlsProxy> {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const { method, url, headers } = request;
    received.push(headers);
    const upstream = forward({ host: '127.0.0.1', port: target, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // The address of a listening TCP server is never a string or null.
    port: (server.address() as AddressInfo).port,
    received,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
