import { fillPath, readBaseUrl } from './address.ts';
import { type ApiError, httpError } from './errors.ts';
import { createExchange, type Fetch } from './exchange.ts';
import { splitInput } from './input.ts';
import { type RetryOptions, readRetryPolicy } from './retry.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import { transport } from './transport.ts';
import type { CallOptions, Client, Method, Result } from './types.ts';
import { ok } from './unwrap.ts';

/** Options of a client. */
export interface ClientOptions {
  /** Base URL of the service, such as `https://docs.example.com`: scheme, host and an optional path. */
  baseUrl: string;

  /** Access token, or a function that returns it, called for each call. Calls without a token are anonymous. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;

  /** Function that sends each request. Default: `globalThis.fetch`. */
  fetch?: Fetch | undefined;

  /**
   * Timeout of one attempt in milliseconds, from sending the request to the end of the response body. Default: 30,000;
   * `Infinity` for no limit. To limit a whole call including retries, pass a signal:
   * `{ signal: AbortSignal.timeout(60_000) }`.
   */
  timeout?: number | undefined;

  /** Maximum number of retries (default: 2), or detailed options. */
  retries?: number | RetryOptions | undefined;

  /** Headers to send with every request. */
  headers?: Readonly<Record<string, string>> | undefined;

  /** Clock and random numbers. Only tests need to pass it. */
  runtime?: Runtime | undefined;
}

/** Untyped `Init` of any path. */
interface AnyInit extends CallOptions {
  params?: {
    path?: Readonly<Record<string, unknown>>;
    query?: Readonly<Record<string, unknown>>;
    header?: Readonly<Record<string, unknown>>;
  };
  body?: unknown;
}

/** Untyped `Call` of any contract. */
type AnyCall = (path: string, init?: AnyInit) => Promise<Result<unknown, ApiError>>;

/**
 * Creates a client of a service.
 * @typeParam Paths `paths` of the contract's types
 * @typeParam ErrorBody body of error responses that the contract does not declare
 * @throws TypeError or RangeError for an invalid option
 *
 * @example
 * import type { paths } from './generated/schema.d.ts'
 *
 * const client = createClient<paths>({ baseUrl: 'https://docs.example.com', token })
 * const { data, error } = await client.GET('/v1/orgs')
 */
export function createClient<Paths, ErrorBody = unknown>(options: ClientOptions): Client<Paths, ErrorBody> {
  const baseUrl = readBaseUrl(options.baseUrl);
  const timeout = readTimeout(options.timeout ?? 30_000);
  const retries = readRetryPolicy(options.retries);
  const runtime = options.runtime ?? systemRuntime;
  // Resolved for each call, so that a global `fetch` replaced later (by a test, by tracing) is used.
  const fetch: Fetch = options.fetch ?? ((request) => globalThis.fetch(request));

  const call = async (method: string, path: string, init: AnyInit): Promise<Result<unknown, ApiError>> => {
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
      const { body, response } = await transport({
        method,
        url: request.url,
        query: init.params?.query,
        headers: await mergeHeaders(options, init),
        body: init.body,
        fetch: exchange.fetch,
      });
      if (response.ok) {
        return { data: body, response, request };
      }
      const error = httpError(request, readableBody(body, response), response, runtime.now());
      return { error, response, request };
    } catch (cause) {
      throw exchange.explain(cause);
    } finally {
      exchange.end();
    }
  };

  const callFor =
    (method: string): AnyCall =>
    (path, init = {}) =>
      call(method, path, init);
  const client: Record<Uppercase<Method>, AnyCall> & Pick<Client<Paths>, 'call'> = {
    GET: callFor('GET'),
    POST: callFor('POST'),
    PUT: callFor('PUT'),
    PATCH: callFor('PATCH'),
    DELETE: callFor('DELETE'),
    HEAD: callFor('HEAD'),
    OPTIONS: callFor('OPTIONS'),
    // The cast adds the type that the generated function declares.
    call: <D>(...[method, path, input, init, nested]: Parameters<Client<Paths>['call']>) =>
      ok(call(method, path, { ...init, ...splitInput(path, input, nested) })) as Promise<D>,
  };
  // The cast adds the contract's types of arguments and results, which the implementation does not need.
  return client as Client<Paths, ErrorBody>;
}

/** Returns the body of an error response; undefined for the page of a proxy. */
function readableBody(body: unknown, response: Response): unknown {
  const isText = /^text\/plain\b/i.test(response.headers.get('Content-Type') ?? '');
  return typeof body === 'string' && !isText ? undefined : body;
}

/**
 * Merges the headers of the client, the header parameters and the headers of the call; later ones take precedence. The
 * token is added unless `Authorization` is set.
 */
async function mergeHeaders(options: ClientOptions, init: AnyInit): Promise<Headers> {
  const headers = new Headers(options.headers);
  for (const overrides of [init.params?.header, init.headers]) {
    for (const [name, value] of Object.entries(overrides ?? {})) {
      if (value !== undefined) {
        headers.set(name, String(value));
      }
    }
  }
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  if (token !== undefined && !headers.has('Authorization')) {
    // Validated here, because the error of `Headers` would contain the token.
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new TypeError('The token is empty or contains a space or another invalid character.');
    }
    headers.set('Authorization', `Bearer ${token}`);
  }
  return headers;
}

function readTimeout(timeout: number): number {
  if (!(timeout > 0)) {
    throw new RangeError(
      `timeout is ${timeout}, but must be a number of milliseconds greater than 0, or Infinity for no limit.`,
    );
  }
  return timeout;
}
