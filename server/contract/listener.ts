import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { unavailable } from './errors.ts';
import { createServer } from './http.ts';
import { deferContinue } from './request/bodies/receive.ts';
import { type ErrorFormat, errorEnvelope } from './response/error-formats.ts';

/** A listening server with graceful shutdown. */
export interface Listener {
  /** The bound port: chosen by the system if 0 was requested. */
  port: number;
  /** Sets the request listener. Until then every request receives 503 with `Retry-After`. */
  serve(app: RequestListener): void;
  /**
   * Stops accepting connections, completes the requests in flight and closes each connection when it becomes idle.
   * Connections that are still open after `limit` milliseconds are destroyed.
   */
  close(limit: number): Promise<void>;
}

/**
 * Maximum size of a request's target and headers. Larger requests receive a 431 without a body. Allows the longest
 * query values of the contract, where each character takes up to twelve bytes percent-encoded.
 */
export const MAX_HEAD_BYTES = 131_072;

/** Time limit for receiving the target and headers of a request. */
export const HEAD_DEADLINE_MS = 20_000;
/** Time limit for receiving a whole request. */
export const REQUEST_DEADLINE_MS = 300_000;

/** Maximum idle time of a connection between requests: longer than the usual keep-alive time of a proxy. */
export const KEEP_ALIVE_MS = 65_000;

/** Maximum time without traffic on a connection while a request is served. */
export const SOCKET_TIMEOUT_MS = 600_000;

/** Number of requests before a connection is closed, to rebalance callers over several processes. */
export const MAX_REQUESTS_PER_CONNECTION = 10_000;

/** Maximum number of pipelined requests of one connection. Further requests receive no response. */
export const MAX_PIPELINED_REQUESTS = 32;

/** Maximum number of open connections. Beyond it, each new connection replaces an idle one. */
export const MAX_CONNECTIONS = 5000;

/** Interval of the deadline checks. */
const DEADLINE_CHECK_MS = 1000;

/** Options of a listener. Each has a default, which suits servers on the public internet. */
export interface ListenerOptions {
  /** Maximum number of open connections. Beyond it, each new connection replaces an idle one. */
  maxConnections?: number;
  /** Maximum size of a request's target and headers. */
  headBytes?: number;
  /** Time limit for receiving the target and headers of a request. */
  headDeadlineMs?: number;
  /** Time limit for receiving a whole request. */
  requestDeadlineMs?: number;
  /** Maximum idle time of a connection between requests. */
  keepAliveMs?: number;
  /** Maximum time without traffic on a connection while a request is served. */
  socketTimeoutMs?: number;
  /** Number of requests before a connection is closed. */
  requestsPerConnection?: number;
  /** Returns the body of the error that requests receive before `serve` is called. Defaults to {@link errorEnvelope}. */
  errorFormat?: ErrorFormat;
}

/**
 * Listens on a port.
 *
 * @throws Error with the system's `code`, such as EADDRINUSE
 */
export async function listen(
  port: number,
  host: string,
  {
    maxConnections = MAX_CONNECTIONS,
    headBytes = MAX_HEAD_BYTES,
    headDeadlineMs = HEAD_DEADLINE_MS,
    requestDeadlineMs = REQUEST_DEADLINE_MS,
    keepAliveMs = KEEP_ALIVE_MS,
    socketTimeoutMs = SOCKET_TIMEOUT_MS,
    requestsPerConnection = MAX_REQUESTS_PER_CONNECTION,
    errorFormat = errorEnvelope,
  }: ListenerOptions = {},
): Promise<Listener> {
  let app: RequestListener = rejectWhileStarting(errorFormat);
  let closing = false;
  const connections = new Map<Socket, Pipeline>();
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    const pipeline = connections.get(req.socket);
    // The connection was replaced by another one while the request arrived.
    if (!pipeline) {
      return;
    }
    res.once('close', () => {
      // The remaining requests of a closed connection are not served.
      if (req.socket.destroyed) {
        return;
      }
      pipeline.end();
      if (closing && pipeline.isIdle) {
        req.socket.end();
      }
    });
    pipeline.add(res, () => {
      if (closing) {
        res.setHeader('Connection', 'close');
      }
      app(req, res);
    });
  };
  const bounds = {
    maxHeaderSize: headBytes,
    headersTimeout: headDeadlineMs,
    requestTimeout: requestDeadlineMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(headDeadlineMs, DEADLINE_CHECK_MS),
  };
  const server = createServer(bounds, serve);
  server.timeout = socketTimeoutMs;
  server.maxRequestsPerSocket = requestsPerConnection;
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
      const closed = new Promise<unknown>((done) => stopAccepting(server, done));
      for (const [socket, { isIdle }] of connections) {
        if (isIdle) {
          socket.destroy();
        }
      }
      const timer = setTimeout(() => server.closeAllConnections(), limit);
      await closed;
      clearTimeout(timer);
    },
  };
}

/**
 * Stops accepting connections. In Node, `close` of an HTTP server also destroys connections with a written but unsent
 * response, so `close` of its base class is called. In Bun, it has no base class.
 */
function stopAccepting(server: Server, closed: (error?: Error) => void): void {
  const { close } = server instanceof NetServer ? NetServer.prototype : server;
  close.call(server, closed);
}

/**
 * Serves the requests of one connection one at a time. Otherwise a caller that pipelines many requests and reads no
 * responses would fill the memory.
 */
class Pipeline {
  readonly #waiting: { res: ServerResponse; serve: () => void }[] = [];
  #isServing = false;
  #isFull = false;

  /** Whether no request is pending. */
  get isIdle(): boolean {
    return !this.#isServing;
  }

  /** Serves a request once the previous ones are complete. */
  add(res: ServerResponse, serve: () => void): void {
    if (this.#isFull) {
      return;
    }
    if (!this.#isServing) {
      this.#isServing = true;
      serve();
      return;
    }
    this.#waiting.push({ res, serve });
    if (this.#waiting.length < MAX_PIPELINED_REQUESTS) {
      return;
    }
    // The caller can resend the requests without a response on another connection.
    this.#isFull = true;
    res.setHeader('Connection', 'close');
  }

  /** Serves the next request after a response is sent. */
  end(): void {
    const next = this.#waiting.shift();
    this.#isServing = next !== undefined;
    next?.serve();
  }
}

const rejectWhileStarting =
  (format: ErrorFormat) =>
  (_req: unknown, res: ServerResponse): void => {
    const error = unavailable('The server is starting. Try again in a second.');
    const { contentType, body } = format(error, randomUUID());
    res.writeHead(error.status, { 'Content-Type': contentType, ...error.headers });
    res.end(JSON.stringify(body));
  };
