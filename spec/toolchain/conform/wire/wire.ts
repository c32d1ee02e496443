import { messageOf } from '../../../../server/contract/errors.ts';
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
  /** Base URL of the server. Targets are appended to it. */
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

/** Minimum time without a response that counts as a failure, even if the time limit of the run aborts the request. */
const MIN_HANG_MS = 15_000;

/** Maximum timeout of a request that shows whether the server responds at all. */
export const MAX_PROBE_TIMEOUT_MS = 2_000;

/** Creates a wire. Requests are sent unchanged except for tokens, `Host` and lengths. */
export const createWire = (options: WireOptions): Wire => new HttpWire(options);

class HttpWire implements Wire {
  readonly #options: WireOptions & { timeout: number; clock: Clock };
  readonly #agent: ReturnType<typeof createAgent>;
  readonly #budget: Budget;
  readonly #recovery: Recovery;
  #reached = false;
  /** Whether the server stopped, and whether an exchange reports it. */
  #stopped: { isReported: boolean } | undefined;

  constructor(options: WireOptions) {
    const { url, limits, timeout = 30_000, signal, clock = systemClock } = options;
    const { ca, restart, restartTimeout, log } = options;
    this.#options = { ...options, timeout, clock };
    this.#agent = createAgent(url, { keepAlive: true, ...(ca && { ca }) });
    this.#budget = new Budget(clock, { ...(!isLoopback(url) && { rate: 10 }), ...limits }, signal);
    this.#recovery = new Recovery({
      url,
      clock,
      ...(ca && { ca }),
      probeTimeoutMs: Math.min(timeout, MAX_PROBE_TIMEOUT_MS),
      ...(restart && { restart }),
      ...(restartTimeout !== undefined && { timeoutMs: restartTimeout }),
      ...(signal && { signal }),
      ...(log && { log }),
    });
  }

  readonly send: Send = (request, timeoutMs) => this.#exchange(request, true, timeoutMs);

  readonly cleanUp: Send = (request) => this.#exchange(request, false);

  requests(): number {
    return this.#budget.requests;
  }

  stops(): number {
    return this.#recovery.count;
  }

  async hasStopped(): Promise<boolean> {
    if (!this.#stopped && (await this.#recovery.stops())) {
      this.#stopped = { isReported: true };
    }
    return this.#stopped !== undefined;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #exchange(request: WireRequest, bounded: boolean, limit = this.#options.timeout): Promise<Exchange> {
    const { url, timeout, clock } = this.#options;
    if (this.#stopped) {
      await this.#waitForServer(this.#stopped);
    }
    await this.#budget.take(bounded);
    const begun = clock.now();
    const left = bounded ? this.#budget.left : timeout;
    const timeoutMs = Math.max(1, Math.min(timeout, limit, left));
    const result = await this.#attempt(request, bounded, timeoutMs);
    const milliseconds = clock.now() - begun;
    if ('response' in result) {
      this.#reached = true;
      return { request, response: result.response, milliseconds };
    }
    const { failure, code, cut } = result;
    const isBudgetCut = cut === 'time' && left < Math.min(timeout, limit);
    if (cut === 'interrupted' || (isBudgetCut && milliseconds < MIN_HANG_MS)) {
      throw new RunEnded(cut);
    }
    if (code !== undefined && !this.#reached) {
      throw new Unreachable(url, failure, code);
    }
    if (code !== undefined && NO_CONNECTION.has(code)) {
      // Other errors are of the network.
      this.#stopped = { isReported: code !== 'ECONNREFUSED' };
      return await this.#waitForServer(this.#stopped);
    }
    if (await this.#recovery.responds()) {
      return { request, failure, milliseconds };
    }
    this.#stopped = { isReported: true };
    return {
      request,
      failure: `${failure} The server then responded to no other request.`,
      hasStopped: true,
      milliseconds,
    };
  }

  /** Sends a request, again on another connection if an idle one was closed. */
  async #attempt(request: WireRequest, bounded: boolean, timeoutMs: number): Promise<Result> {
    const result = await this.#attemptOnce(request, bounded, timeoutMs);
    // A server may close an idle connection while a request is sent (RFC 9112, 9.3.1).
    if (!('failure' in result) || !result.stale) {
      return result;
    }
    const again = await this.#attemptOnce(request, bounded, timeoutMs);
    // Without a server for the second connection, the request may have ended the first one.
    return 'failure' in again && again.code === 'ECONNREFUSED' ? { failure: result.failure } : again;
  }

  async #attemptOnce(request: WireRequest, bounded: boolean, timeoutMs: number): Promise<Result> {
    const { url, tokens, headers = [], signal, clock } = this.#options;
    try {
      return await attempt({
        url,
        agent: this.#agent,
        request: { ...request, ...withCredentials(withHeaders(request, headers), tokens) },
        timeoutMs,
        signal: bounded ? signal : undefined,
        clock,
      });
    } catch (error) {
      const reason = messageOf(error);
      throw new Unsendable(`${request.method} ${request.target} cannot be sent: ${reason}.`, {
        cause: error,
      });
    }
  }

  async #waitForServer({ isReported }: { isReported: boolean }): Promise<never> {
    await this.#recovery.recover();
    this.#stopped = undefined;
    throw new ServerReturned(isReported);
  }
}

/** Adds headers that a request does not have itself. */
function withHeaders(request: WireRequest, headers: readonly [name: string, value: string][]): WireRequest {
  const names = new Set(request.headers.map(([name]) => name.toLowerCase()));
  return {
    ...request,
    headers: [...request.headers, ...headers.filter(([name]) => !names.has(name.toLowerCase()))],
  };
}
