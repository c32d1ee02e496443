import { once } from 'node:events';
import { createServer } from 'node:net';

/** First of the ports that are tried. */
const FIRST_PORT = 20_000;
/** Number of the ports that are tried: up to the first that Linux uses for outgoing connections. */
const PORT_COUNT = 12_000;

/**
 * Returns a port of 127.0.0.1 that is free now. Outgoing connections of this machine do not use it, unlike a port of
 * `listen(0)`: a server that is restarted there finds it free again (ip(7), `ip_local_port_range`).
 */
export async function freePort(): Promise<number> {
  const offset = Math.floor(Math.random() * PORT_COUNT);
  for (let tries = 0; tries < PORT_COUNT; tries++) {
    const port = FIRST_PORT + ((offset + tries) % PORT_COUNT);
    if (await isFree(port)) {
      return port;
    }
  }
  throw new Error(`No port from ${FIRST_PORT} to ${FIRST_PORT + PORT_COUNT - 1} is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
