import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** A server that listens, and can stop without cutting anybody off. */
export interface Listener {
  /** The port it got: where 0 was asked for, the system chose one. */
  port: number;
  /** Who answers from now on. Until then requests are told to come back: 503 with `Retry-After`. */
  serve(app: RequestListener): void;
  /**
   * Takes no more connections, lets the requests in flight be answered to their last byte, and closes each
   * connection as it falls idle. What is not done after `limit` milliseconds is cut off.
   */
  close(limit: number): Promise<void>;
}

/**
 * The most bytes of a request's target and headers: beyond it the answer is a bare 431. Room for the longest
 * values of a query that the contract allows, where each character takes twelve bytes percent-encoded.
 */
const LARGEST_HEAD = 131_072;

/**
 * Listens on a port.
 *
 * @throws Error with the system's `code` where it cannot, such as EADDRINUSE
 */
export async function listen(port: number, host: string): Promise<Listener> {
  let app: RequestListener = notYet;
  let closing = false;
  /** The open connections, and how many answers each is waiting for. */
  const connections = new Map<Socket, number>();
  const server = createServer({ maxHeaderSize: LARGEST_HEAD }, (req, res) => {
    const { socket } = req;
    connections.set(socket, (connections.get(socket) ?? 0) + 1);
    res.once('close', () => {
      const left = (connections.get(socket) ?? 1) - 1;
      if (connections.has(socket)) connections.set(socket, left);
      if (closing && left === 0) socket.end();
    });
    if (closing) res.setHeader('Connection', 'close');
    app(req, res);
  });
  server.on('connection', (socket) => {
    connections.set(socket, 0);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((listening, fail) => {
    server.once('error', fail).listen(port, host, listening);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    serve: (listener) => {
      app = listener;
    },
    close: async (limit) => {
      closing = true;
      // Not `server.close()`: it also destroys connections whose answer is written but not yet sent.
      const closed = new Promise((done) => NetServer.prototype.close.call(server, done));
      for (const [socket, waiting] of connections) if (waiting === 0) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), limit);
      await closed;
      clearTimeout(timer);
    },
  };
}

function notYet(_req: unknown, res: ServerResponse): void {
  const message = 'The server is starting; try again in a second.';
  res.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
  res.end(JSON.stringify({ error: { code: 503, message, requestId: randomUUID() } }));
}
