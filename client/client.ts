import { fillPath, readBaseUrl } from './address.ts';
import { readFailure } from './errors.ts';
import { createExchange, type Fetch } from './exchange.ts';
import { type RetryOptions, readRetryPolicy } from './retry.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import { transport } from './transport.ts';
import type { Call, CallOptions, Client, Result } from './types.ts';

/** How a client reaches the service. */
export interface ClientOptions {
  /** Where the service is, such as `https://docs.example.com`: scheme, host and perhaps a path. */
  baseUrl: string;

  /** The access token, or a function that is asked for it at each call. Without one, calls are anonymous. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;

  /** Sends each request. Default: `globalThis.fetch`. */
  fetch?: Fetch | undefined;

  /**
   * Milliseconds for one attempt, from sending it to the end of its answer. Default 30,000; `Infinity` for no limit. A
   * limit for a whole call, retries included, is a signal: `{ signal: AbortSignal.timeout(60_000) }`.
   */
  timeout?: number | undefined;

  /** How many times to try again (default 2), or how in detail. */
  retries?: number | RetryOptions | undefined;

  /** Headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined;

  /** Time and chance; only tests need to pass it. */
  runtime?: Runtime | undefined;
}

/** `Init` of any path, its types forgotten. */
interface AnyInit extends CallOptions {
  params?: {
    path?: Readonly<Record<string, unknown>>;
    query?: Readonly<Record<string, unknown>>;
    header?: Readonly<Record<string, unknown>>;
  };
  body?: unknown;
}

/**
 * Makes a client of the service.
 * @throws TypeError or RangeError when an option cannot be used
 *
 * @example
 * const client = createClient({ baseUrl: 'https://docs.example.com', token })
 * const { data, error } = await client.GET('/v1/orgs')
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = readBaseUrl(options.baseUrl);
  const timeout = readTimeout(options.timeout ?? 30_000);
  const retries = readRetryPolicy(options.retries);
  const runtime = options.runtime ?? systemRuntime;
  // Looked up at each call, so that a `fetch` that is replaced later (by a test, by tracing) is the one used.
  const fetch: Fetch = options.fetch ?? ((request) => globalThis.fetch(request));

  const call = async (method: string, path: string, init: AnyInit): Promise<Result<unknown>> => {
    const request = { method, url: baseUrl + path };
    const exchange = createExchange({
      fetch,
      request,
      retries: readRetryPolicy(init.retries, retries),
      timeout: init.timeout === undefined ? timeout : readTimeout(init.timeout),
      signal: init.signal,
      runtime,
    });
    try {
      request.url = baseUrl + fillPath(path, init.params?.path ?? {});
      const { data, error, response } = await transport({
        method,
        url: request.url,
        query: init.params?.query,
        headers: await mergeHeaders(options, init),
        body: init.body,
        fetch: exchange.fetch,
      });
      return response.ok
        ? { data, response, request }
        : { error: readFailure(error, response), response, request };
    } catch (cause) {
      throw exchange.explain(cause);
    } finally {
      exchange.end();
    }
  };

  // The casts give each function the types of the contract, which hold its arguments and results, not its code.
  const callFor =
    (method: string) =>
    (path: string, init: AnyInit = {}) =>
      call(method, path, init);
  return {
    GET: callFor('GET') as Call<'get'>,
    POST: callFor('POST') as Call<'post'>,
    PUT: callFor('PUT') as Call<'put'>,
    PATCH: callFor('PATCH') as Call<'patch'>,
    DELETE: callFor('DELETE') as Call<'delete'>,
  };
}

/** The headers of a call: the client's, then the contract's, then the call's own, and the token where none is there. */
async function mergeHeaders(options: ClientOptions, init: AnyInit): Promise<Headers> {
  const headers = new Headers(options.headers);
  for (const more of [init.params?.header, init.headers]) {
    for (const [name, value] of Object.entries(more ?? {})) {
      if (value !== undefined) {
        headers.set(name, String(value));
      }
    }
  }
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  if (token !== undefined && !headers.has('Authorization')) {
    // Checked here, because the error of `Headers` would show the token.
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new TypeError('the token is empty or holds a space or another character that no token has.');
    }
    headers.set('Authorization', `Bearer ${token}`);
  }
  return headers;
}

function readTimeout(timeout: number): number {
  if (!(timeout > 0)) {
    throw new RangeError(
      `timeout is ${timeout}, but it counts milliseconds: pass more than 0, or Infinity for no limit.`,
    );
  }
  return timeout;
}
