import { readBaseUrl } from './address.ts';
import { type ApiError, httpError } from './errors.ts';
import { createExchange, type Fetch, type RequestDraft } from './exchange.ts';
import type { Hooks } from './hooks.ts';
import { splitInput } from './input.ts';
import { encodeHeaders, encodePairs } from './query.ts';
import { readAs, readBody } from './response.ts';
import { IDEMPOTENCY_KEY, type RetryOptions, readRetryPolicy } from './retry.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import { createTransport } from './transport.ts';
import type { CallOptions, Client, Method, ParseAs, PathOf, Result, Styles } from './types.ts';
import { ok } from './unwrap.ts';

/**
 * Options of a client.
 * @typeParam Path paths of the contract, for hooks
 */
export interface ClientOptions<Path extends string = string> {
  /** Base URL of the service, such as `https://docs.example.com`: scheme, host and an optional path. */
  baseUrl: string;

  /** Access token, or a function that returns it, called for each call. Calls without a token are anonymous. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;

  /** Function that sends each request. Default: `globalThis.fetch`. */
  fetch?: Fetch | undefined;

  /**
   * Timeout of one attempt in milliseconds, from sending the request to the end of the response body, or to its start if
   * it is read as a stream. Default: 30,000; `Infinity` for no limit. To limit a whole call including retries, pass a
   * signal: `{ signal: AbortSignal.timeout(60_000) }`.
   */
  timeout?: number | undefined;

  /** Maximum number of retries (default: 2), or detailed options. */
  retries?: number | RetryOptions | undefined;

  /** Headers to send with every request. */
  headers?: Readonly<Record<string, string>> | undefined;

  /** Functions that are called during each call, for logs, metrics and tracing. */
  hooks?: Hooks<Path> | undefined;

  /** Clock, random numbers and identifiers. Only tests need to pass it. */
  runtime?: Runtime | undefined;
}

/** Untyped `Init` of any path. */
interface AnyRequestInit extends CallOptions {
  params?: {
    path?: Readonly<Record<string, unknown>>;
    query?: Readonly<Record<string, unknown>>;
    header?: Readonly<Record<string, unknown>>;
    cookie?: Readonly<Record<string, unknown>>;
  };
  body?: unknown;
  contentType?: string | undefined;
  parseAs?: ParseAs | undefined;
  styles?: Styles | undefined;
}

/** Untyped `Call` of any contract. */
type AnyCall = (path: string, init?: AnyRequestInit) => Promise<Result<unknown, ApiError>>;

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
export function createClient<Paths, ErrorBody = unknown>(
  options: ClientOptions<PathOf<Paths>>,
): Client<Paths, ErrorBody> {
  const baseUrl = readBaseUrl(options.baseUrl);
  const transport = createTransport(baseUrl);
  const timeout = readTimeout(options.timeout ?? 30_000);
  const retries = readRetryPolicy(options.retries);
  const runtime = options.runtime ?? systemRuntime;
  // Resolved for each call, so that a global `fetch` replaced later (by a test, by tracing) is used.
  const fetch: Fetch = options.fetch ?? ((request, init) => globalThis.fetch(request, init));

  const call = async (
    method: string,
    path: string,
    init: AnyRequestInit,
    idempotent = false,
  ): Promise<Result<unknown, ApiError>> => {
    const request = { method, url: baseUrl + path };
    const settings = {
      fetch,
      request,
      path,
      // Hooks are called only for paths of the contract.
      hooks: options.hooks as Hooks | undefined,
      retries,
      timeout,
      signal: init.signal,
      runtime,
    };
    const exchange = createExchange(settings);
    try {
      if (init.retries !== undefined) {
        settings.retries = readRetryPolicy(init.retries, retries);
      }
      settings.timeout = readTimeout(init.timeout ?? timeout);
      const { parseAs, params, body, contentType, styles } = init;
      const { token } = options;
      const value = typeof token === 'function' ? await token() : token;
      const headers = headersOf(options.headers, value, init, idempotent ? runtime.uuid() : undefined);
      const parts = { params, headers, body, contentType, styles };
      const send = (draft: RequestDraft) => exchange.send(draft);
      const { response, error: received } = await transport(request, path, parts, send);
      if (response.ok) {
        const way = parseAs === 'auto' ? readAs(response) : parseAs;
        const data = way === 'stream' ? exchange.stream(response) : await readBody(response, way);
        return { data, response, request };
      }
      const error = httpError(request, received, response, runtime.now());
      await exchange.notify('onError', { error });
      return { error, response, request };
    } catch (cause) {
      const error = exchange.explain(cause);
      if (error.kind !== 'hook') {
        await exchange.notify('onError', { error });
      }
      throw error;
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
    call: <D>(...[method, path, input, init, format = {}]: Parameters<Client<Paths>['call']>) => {
      const own = splitInput(path, input, format.nested);
      const { parseAs = format.parseAs } = init ?? {};
      const result = call(method, path, { ...format, ...init, parseAs, ...own }, format.idempotent);
      return (format.asResult ? result : ok(result)) as Promise<D>;
    },
  };
  // The cast adds the contract's types of arguments and results, which the implementation does not need.
  return client as Client<Paths, ErrorBody>;
}

/** Returns the headers of a call by name. Those that the call and the client pass replace the ones before them. */
function headersOf(
  headers: ClientOptions['headers'],
  token: string | undefined,
  init: AnyRequestInit,
  idempotencyKey: string | undefined,
): Record<string, unknown> {
  // Validated here, because the error of `Headers` would contain the token.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('The token is empty or contains an invalid character.');
  }
  const { header, cookie } = init.params ?? {};
  const cookies = cookie && encodePairs(cookie, init.styles?.cookie).join('; ');
  return {
    Accept: /json|auto/.test(init.parseAs ?? 'json') ? 'application/json, */*;q=0.8' : undefined,
    [IDEMPOTENCY_KEY]: idempotencyKey,
    Authorization: token && `Bearer ${token}`,
    ...headers,
    ...(cookies && { Cookie: cookies }),
    ...(header && encodeHeaders(header, init.styles?.header)),
    ...init.headers,
  };
}

function readTimeout(timeout: number): number {
  if (!(timeout > 0)) {
    throw new RangeError(`timeout is ${timeout}, but must be more than 0 milliseconds.`);
  }
  return timeout;
}
