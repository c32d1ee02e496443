import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { attempt, type Result } from './attempt.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Tokens, withCredentials } from './credentials.ts';
import {
  BudgetSpent,
  type Exchange,
  type Send,
  Unreachable,
  Unsendable,
  type WireRequest,
} from './exchange.ts';
import { Budget, isLoopback, type Limits } from './limits.ts';

/** Options of a wire. */
export interface WireOptions {
  /** Base URL of the server, to which targets are appended. */
  url: URL;
  tokens: Tokens;
  /** Limits. Default rate: 10 requests per second, unlimited for loopback addresses. */
  limits: Limits;
  /** Timeout of one request in milliseconds. Default: 30,000. */
  timeout?: number;
  /** Ends the run: active requests are aborted, and no further ones are sent. */
  signal?: AbortSignal;
  clock?: Clock;
}

/** Connection to one server. */
export interface Wire {
  send: Send;
  /** Like `send`, but not limited by the budget, to delete created entities. */
  cleanUp: Send;
  /** Returns the number of sent requests. */
  requests(): number;
  close(): void;
}

/** Errors without a connection, which the request cannot have caused. */
const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Creates a wire. Requests are sent unchanged except for tokens, `Host` and lengths. */
export function createWire(options: WireOptions): Wire {
  const { url, tokens, limits, timeout = 30_000, signal, clock = systemClock } = options;
  const budget = new Budget(clock, { ...(!isLoopback(url) && { rate: 10 }), ...limits }, signal);
  const agent = new (url.protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true });
  let reached = false;

  const exchange = async (request: WireRequest, bounded: boolean): Promise<Exchange> => {
    await budget.take(bounded);
    const begun = clock.now();
    const left = bounded ? budget.left : timeout;
    const once = async (): Promise<Result> => {
      try {
        return await attempt({
          url,
          agent,
          request: { ...request, ...withCredentials(request, tokens) },
          timeoutMs: Math.max(1, Math.min(timeout, left)),
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
      result = await once();
    }
    const milliseconds = clock.now() - begun;
    if ('response' in result) {
      reached = true;
      return { request, response: result.response, milliseconds };
    }
    const { failure, code, cut } = result;
    if (cut === 'interrupted' || (cut === 'time' && left < timeout)) {
      throw new BudgetSpent(cut);
    }
    if (code !== undefined && (!reached || NO_CONNECTION.has(code))) {
      throw new Unreachable(unreachable(url, failure, reached));
    }
    return { request, failure, milliseconds };
  };

  return {
    send: (request) => exchange(request, true),
    cleanUp: (request) => exchange(request, false),
    requests: () => budget.requests,
    close: () => agent.destroy(),
  };
}

function unreachable(url: URL, failure: string, reached: boolean): string {
  return reached
    ? `${url} no longer responds. ${failure} Check its log for a crash, and restart it.`
    : `${url} cannot be reached. ${failure} Check that the server is running and that --url is its URL.`;
}
