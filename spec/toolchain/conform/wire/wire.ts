import { createAgent } from './agent.ts';
import { attempt, type Result } from './attempt.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Tokens, withCredentials } from './credentials.ts';
import {
  type Exchange,
  RunEnded,
  type Send,
  ServerReturned,
  Unreachable,
  Unsendable,
  type WireRequest,
} from './exchange.ts';
import { Budget, isLoopback, type Limits } from './limits.ts';
import { NO_CONNECTION, Recovery } from './recovery.ts';

/** Options of a wire. */
export interface WireOptions {
  /** Base URL of the server, to which targets are appended. */
  url: URL;
  tokens: Tokens;
  /** Headers of every request that does not have them itself. */
  headers?: readonly [name: string, value: string][];
  /** Certificates of the trusted authorities in PEM. Default: those of Node. */
  ca?: readonly string[];
  /** Limits. Default rate: 10 requests per second, unlimited for loopback addresses. */
  limits: Limits;
  /** Timeout of one request in milliseconds. Default: 30,000. */
  timeout?: number;
  /** Ends the run: active requests are aborted, and no further ones are sent. */
  signal?: AbortSignal;
  clock?: Clock;
  /** Starts the server after it stopped. Without it, the wire waits until the server returns. */
  restart?: () => Promise<void>;
  /** Maximum time to wait for a stopped server in milliseconds. Default: 30,000. */
  restartTimeout?: number;
  /** Receives messages about a stopped server. */
  log?: (message: string) => void;
}

/** Connection to one server. */
export interface Wire {
  send: Send;
  /** Like `send`, but not limited by the budget, to delete created entities. */
  cleanUp: Send;
  /** Returns the number of sent requests. */
  requests(): number;
  /** Returns the number of times that the server stopped and was waited for. */
  stops(): number;
  /** Returns whether the server stops soon after its last response. The next request is not sent then. */
  hasStopped(): Promise<boolean>;
  close(): void;
}

/** Time after which a request without a response is a failure even if the time limit of the run aborts it. */
const MIN_HANG_MS = 5_000;

/** Maximum timeout of a request that shows whether the server responds at all. */
export const MAX_PROBE_TIMEOUT_MS = 2_000;

/** Creates a wire. Requests are sent unchanged except for tokens, `Host` and lengths. */
export function createWire(options: WireOptions): Wire {
  const { url, tokens, limits, timeout = 30_000, signal, clock = systemClock } = options;
  const budget = new Budget(clock, { ...(!isLoopback(url) && { rate: 10 }), ...limits }, signal);
  const { headers = [], ca } = options;
  const agent = createAgent(url, { keepAlive: true, ...(ca && { ca }) });
  const { restart, restartTimeout, log } = options;
  const recovery = new Recovery({
    url,
    clock,
    ...(ca && { ca }),
    probeTimeoutMs: Math.min(timeout, MAX_PROBE_TIMEOUT_MS),
    ...(restart && { restart }),
    ...(restartTimeout !== undefined && { timeoutMs: restartTimeout }),
    ...(signal && { signal }),
    ...(log && { log }),
  });
  let reached = false;
  /** Whether the server stopped, and whether an exchange reports it. */
  let stopped: { isReported: boolean } | undefined;

  const waitForServer = async ({ isReported }: { isReported: boolean }): Promise<never> => {
    await recovery.recover();
    stopped = undefined;
    throw new ServerReturned(isReported);
  };

  const exchange = async (request: WireRequest, bounded: boolean, limit = timeout): Promise<Exchange> => {
    if (stopped) {
      await waitForServer(stopped);
    }
    await budget.take(bounded);
    const begun = clock.now();
    const left = bounded ? budget.left : timeout;
    const once = async (): Promise<Result> => {
      try {
        return await attempt({
          url,
          agent,
          request: { ...request, ...withCredentials(withHeaders(request, headers), tokens) },
          timeoutMs: Math.max(1, Math.min(timeout, limit, left)),
          signal: bounded ? signal : undefined,
          clock,
        });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Unsendable(`${request.method} ${request.target} cannot be sent: ${reason}.`, {
          cause: error,
        });
      }
    };
    let result = await once();
    // A server may close an idle connection while a request is sent (RFC 9112, 9.3.1).
    if ('failure' in result && result.stale) {
      const again = await once();
      // Without a server for the second connection, the request may have ended the first one.
      result = 'failure' in again && again.code === 'ECONNREFUSED' ? { failure: result.failure } : again;
    }
    const milliseconds = clock.now() - begun;
    if ('response' in result) {
      reached = true;
      return { request, response: result.response, milliseconds };
    }
    const { failure, code, cut } = result;
    const isBudgetCut = cut === 'time' && left < Math.min(timeout, limit);
    if (cut === 'interrupted' || (isBudgetCut && milliseconds < MIN_HANG_MS)) {
      throw new RunEnded(cut);
    }
    if (code !== undefined && !reached) {
      throw new Unreachable(url, failure, code);
    }
    if (code !== undefined && NO_CONNECTION.has(code)) {
      // Other errors are of the network.
      stopped = { isReported: code !== 'ECONNREFUSED' };
      return await waitForServer(stopped);
    }
    if (await recovery.responds()) {
      return { request, failure, milliseconds };
    }
    stopped = { isReported: true };
    return {
      request,
      failure: `${failure} The server then responded to no other request.`,
      hasStopped: true,
      milliseconds,
    };
  };

  return {
    send: (request, timeoutMs) => exchange(request, true, timeoutMs),
    cleanUp: (request) => exchange(request, false),
    requests: () => budget.requests,
    stops: () => recovery.count,
    async hasStopped() {
      if (!stopped && (await recovery.stops())) {
        stopped = { isReported: true };
      }
      return stopped !== undefined;
    },
    close: () => agent.destroy(),
  };
}

/** Adds headers that a request does not have itself. */
function withHeaders(request: WireRequest, headers: readonly [name: string, value: string][]): WireRequest {
  const names = new Set(request.headers.map(([name]) => name.toLowerCase()));
  return {
    ...request,
    headers: [...request.headers, ...headers.filter(([name]) => !names.has(name.toLowerCase()))],
  };
}
