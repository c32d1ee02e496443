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

/** Where and how requests go. */
export interface WireOptions {
  /** The server's address; targets are appended to its path. */
  url: URL;
  tokens: Tokens;
  /** The rate is 10 requests a second unless given, and on loopback as many as can be. */
  limits: Limits;
  /** Milliseconds that one request may take; 30,000 unless given. */
  timeout?: number;
  /** Ends the run: requests under way are broken off, and no further ones go. */
  signal?: AbortSignal;
  clock?: Clock;
}

/** The way to one server. */
export interface Wire {
  send: Send;
  /** As `send`, but it goes when the budget is spent too: to delete what the run made. */
  cleanUp: Send;
  /** How many requests went. */
  requests(): number;
  close(): void;
}

/** Errors that say that there was no connection, so that the request cannot have been their cause. */
const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Opens the way to a server. Requests go exactly as they are given, but for tokens, `Host` and lengths. */
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
          patience: Math.max(1, Math.min(timeout, left)),
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
    // A server may close an idle connection in the moment in which a request goes (RFC 9112, 9.3.1).
    if ('failure' in result && result.stale) result = await once();
    const milliseconds = clock.now() - begun;
    if ('answer' in result) {
      reached = true;
      return { request, answer: result.answer, milliseconds };
    }
    const { failure, code, cut } = result;
    if (cut === 'interrupted' || (cut === 'time' && left < timeout)) throw new BudgetSpent(cut);
    if (code !== undefined && (!reached || NO_CONNECTION.has(code)))
      throw new Unreachable(unreachable(url, failure, reached));
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
    ? `${url} answered before and does no more. ${failure} See in its log whether it crashed, and start it again.`
    : `${url} cannot be reached. ${failure} See that the server runs and that --url is its address.`;
}
