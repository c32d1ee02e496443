import { fillPath, readBaseUrl } from './address.ts';
import { encodeBody, readBody, readErrorBody } from './body.ts';
import { type ApiError, httpError } from './errors.ts';
import { createExchange, type Fetch } from './exchange.ts';
import type { Hooks } from './hooks.ts';
import { splitInput } from './input.ts';
import { encodeHeaders, encodePairs, encodeQuery } from './query.ts';
import { IDEMPOTENCY_KEY, type RetryOptions, readRetryPolicy } from './retry.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
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
interface AnyInit extends CallOptions {
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
export function createClient<Paths, ErrorBody = unknown>(
  options: ClientOptions<PathOf<Paths>>,
): Client<Paths, ErrorBody> {
  const baseUrl = readBaseUrl(options.baseUrl);
  const timeout = readTimeout(options.timeout ?? 30_000);
  const retries = readRetryPolicy(options.retries);
  const runtime = options.runtime ?? systemRuntime;
  // Resolved for each call, so that a global `fetch` replaced later (by a test, by tracing) is used.
  const fetch: Fetch = options.fetch ?? ((request) => globalThis.fetch(request));

  const call = async (
    method: string,
    path: string,
    init: AnyInit,
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
      settings.retries = readRetryPolicy(init.retries, retries);
      settings.timeout = readTimeout(init.timeout ?? timeout);
      request.url = baseUrl + fillPath(path, init.params?.path ?? {}, init.styles?.path);
      const { contentType, parseAs = 'json' } = init;
      const headers = await mergeHeaders(options, init);
      if (parseAs === 'json' && !headers.has('Accept')) {
        headers.set('Accept', 'application/json, */*;q=0.8');
      }
      if (idempotent && !headers.has(IDEMPOTENCY_KEY)) {
        headers.set(IDEMPOTENCY_KEY, runtime.uuid());
      }
      const query = encodeQuery(init.params?.query ?? {}, init.styles?.query);
      const response = await exchange.send(
        query === '' ? request.url : `${request.url}?${query}`,
        headers,
        encodeBody(init.body, contentType, headers, init.styles?.body),
      );
      if (response.ok) {
        const data = parseAs === 'stream' ? exchange.stream(response) : await readBody(response, parseAs);
        return { data, response, request };
      }
      const error = httpError(request, await readErrorBody(response), response, runtime.now());
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
      return ok(call(method, path, { ...format, ...init, parseAs, ...own }, format.idempotent)) as Promise<D>;
    },
  };
  // The cast adds the contract's types of arguments and results, which the implementation does not need.
  return client as Client<Paths, ErrorBody>;
}

/**
 * Merges the headers of the client, the header parameters and the headers of the call; later ones take precedence. The
 * token is added unless `Authorization` is set.
 */
async function mergeHeaders(
  options: Pick<ClientOptions, 'headers' | 'token'>,
  init: AnyInit,
): Promise<Headers> {
  const headers = new Headers(options.headers);
  const { header = {}, cookie = {} } = init.params ?? {};
  const cookies = encodePairs(cookie, init.styles?.cookie).join('; ');
  const own = encodeHeaders(header, init.styles?.header);
  for (const [name, value] of Object.entries({
    ...(cookies && { Cookie: cookies }),
    ...own,
    ...init.headers,
  })) {
    headers.set(name, value);
  }
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  if (token !== undefined && !headers.has('Authorization')) {
    // Validated here, because the error of `Headers` would contain the token.
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new TypeError('The token is empty or contains an invalid character.');
    }
    headers.set('Authorization', `Bearer ${token}`);
  }
  return headers;
}

function readTimeout(timeout: number): number {
  if (!(timeout > 0)) {
    throw new RangeError(`timeout is ${timeout}, but must be more than 0 milliseconds.`);
  }
  return timeout;
}
