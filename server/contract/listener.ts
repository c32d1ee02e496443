import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { deferContinue } from './receive.ts';

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
export const MAX_HEAD_BYTES = 131_072;

/** How long the target and headers of a request may take to arrive. */
export const HEAD_DEADLINE_MS = 20_000;
/** How long a whole request may take to arrive. */
export const REQUEST_DEADLINE_MS = 300_000;

/** How long a connection may be idle between requests: longer than the proxies in front usually keep theirs. */
export const KEEP_ALIVE_MS = 65_000;

/** How long a connection may be silent while a request is served, such as with a caller who reads no response. */
export const SILENCE_MS = 600_000;

/** After so many requests a connection is closed, so that callers spread anew over several processes. */
export const MAX_REQUESTS_PER_CONNECTION = 10_000;

/** How many requests of one connection may wait for its responses before. What comes after them is not answered. */
export const MAX_PIPELINED_REQUESTS = 32;

/** How many connections are open at most. Beyond it an idle one makes room for each new one. */
export const MAX_CONNECTIONS = 5000;

/** How often the deadlines are looked at. */
const DEADLINE_CHECK_MS = 1000;

/** Bounds of a listener that tests make smaller. */
export interface ListenerBounds {
  maxConnections?: number;
  headDeadlineMs?: number;
}

/**
 * Listens on a port.
 *
 * @throws Error with the system's `code` where it cannot, such as EADDRINUSE
 */
export async function listen(
  port: number,
  host: string,
  { maxConnections = MAX_CONNECTIONS, headDeadlineMs = HEAD_DEADLINE_MS }: ListenerBounds = {},
): Promise<Listener> {
  let app: RequestListener = notYet;
  let closing = false;
  const connections = new Map<Socket, Pipeline>();
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    const pipeline = connections.get(req.socket);
    // The connection made room for another one while the request arrived.
    if (!pipeline) return;
    res.once('close', () => {
      // What a caller who left still waited for is not served.
      if (req.socket.destroyed) return;
      pipeline.end();
      if (closing && pipeline.isIdle) req.socket.end();
    });
    pipeline.add(res, () => {
      if (closing) res.setHeader('Connection', 'close');
      app(req, res);
    });
  };
  const bounds = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: headDeadlineMs,
    requestTimeout: REQUEST_DEADLINE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(headDeadlineMs, DEADLINE_CHECK_MS),
  };
  const server = createServer(bounds, serve);
  server.timeout = SILENCE_MS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    deferContinue(req);
    serve(req, res);
  });
  server.on('connection', (socket) => {
    if (connections.size >= maxConnections) {
      const [idle] = connections.entries().find(([, { isIdle }]) => isIdle) ?? [];
      if (!idle) {
        socket.destroy();
        return;
      }
      connections.delete(idle);
      idle.destroy();
    }
    connections.set(socket, new Pipeline());
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
      for (const [socket, { isIdle }] of connections) if (isIdle) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), limit);
      await closed;
      clearTimeout(timer);
    },
  };
}

/**
 * The requests of one connection, served one after the other: a caller who sends many and reads no response would
 * have all of them in memory otherwise.
 */
class Pipeline {
  readonly #waiting: { res: ServerResponse; serve: () => void }[] = [];
  #isServing = false;
  #isFull = false;

  /** Whether no request waits for a response. */
  get isIdle(): boolean {
    return !this.#isServing;
  }

  /** Serves a request when it is its turn. */
  add(res: ServerResponse, serve: () => void): void {
    if (this.#isFull) return;
    if (!this.#isServing) {
      this.#isServing = true;
      serve();
      return;
    }
    this.#waiting.push({ res, serve });
    if (this.#waiting.length < MAX_PIPELINED_REQUESTS) return;
    // The caller sees which requests have no response, and may send them again on another connection.
    this.#isFull = true;
    res.setHeader('Connection', 'close');
  }

  /** The response before has left: it is the turn of the next one. */
  end(): void {
    const next = this.#waiting.shift();
    this.#isServing = next !== undefined;
    next?.serve();
  }
}

function notYet(_req: unknown, res: ServerResponse): void {
  const message = 'The server is starting; try again in a second.';
  res.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
  res.end(JSON.stringify({ error: { code: 503, message, requestId: randomUUID() } }));
}
