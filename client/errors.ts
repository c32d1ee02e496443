import type { components } from '../generated/schema.d.ts';
import { readRetryAfter } from './retry-after.ts';

/** The body of every failure in the contract. */
export type ErrorBody = components['schemas']['Error'];

/** One field at fault in a refused request. */
export type ErrorDetail = components['schemas']['ErrorDetail'];

/** Which request something is about: its method, and its address without query, credentials or fragment. */
export interface RequestLine {
  method: string;
  url: string;
}

/**
 * What went wrong, to switch on:
 * - `http`: the server answered with a failure; `status`, `details` and `requestId` say more.
 * - `network`: no answer, or one that broke off. Whether a write took effect is unknown.
 * - `timeout`: no complete answer in time (the `timeout` option, or a signal made by `AbortSignal.timeout`).
 *   Whether a write took effect is unknown.
 * - `aborted`: the caller's signal ended the call.
 * - `request`: the request could not be made, so nothing was sent (an empty path value, a bad address or token).
 * - `response`: the server answered with a success that cannot be read (a body that is not JSON, a broken list).
 */
export type ApiErrorKind = 'http' | 'network' | 'timeout' | 'aborted' | 'request' | 'response';

/** What an `ApiError` is made of. */
export interface ApiErrorFacts extends RequestLine {
  kind: ApiErrorKind;
  message: string;
  status?: number | undefined;
  details?: readonly ErrorDetail[] | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/**
 * The one error of this client: everything that can go wrong in a call arrives as this.
 *
 * @example
 * try {
 *   await ok(client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }))
 * } catch (error) {
 *   if (error instanceof ApiError && error.status === 404) return undefined
 *   throw error
 * }
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** What went wrong, to switch on. */
  readonly kind: ApiErrorKind;

  /** The HTTP status, when the server answered. */
  readonly status: number | undefined;

  /** The fields at fault, when the server refused a request for them; otherwise empty. */
  readonly details: readonly ErrorDetail[];

  /** Names the request in the server's log: quote it when asking for help. */
  readonly requestId: string | undefined;

  /** How many seconds the server asks to wait before the next request (RFC 9110, section 10.2.3). */
  readonly retryAfter: number | undefined;

  /** The request's method. */
  readonly method: string;

  /** The request's address, without its query (which may hold a share key), credentials or fragment. */
  readonly url: string;

  constructor(facts: ApiErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = facts.kind;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
    this.method = facts.method;
    this.url = facts.url;
  }
}

/**
 * Makes the error for a failure that the server answered.
 * @param request what was asked
 * @param body the failure, as the contract shapes it
 * @param response the answer's status and headers
 * @param now the present in milliseconds since 1970, for a `Retry-After` that names a date
 */
export function httpError(request: RequestLine, body: ErrorBody, response: Response, now: number): ApiError {
  const { message, details, requestId } = body.error;
  const wait = readRetryAfter(response.headers.get('Retry-After'), now);
  return new ApiError({
    kind: 'http',
    message,
    method: request.method,
    url: request.url,
    status: response.status,
    details,
    requestId: requestId === '' ? undefined : requestId,
    retryAfter: wait === undefined ? undefined : Math.ceil(wait / 1000),
  });
}

/**
 * Brings the body of a failure into the contract's shape.
 *
 * Proxies and crashed servers answer with HTML or nothing at all; with this, whoever tests `error` sees every
 * failure, and finds a message in it.
 * @param body what was read: parsed JSON, text, or undefined for an empty body
 * @param response the answer it came with
 */
export function readFailure(body: unknown, response: Response): ErrorBody {
  const info = isRecord(body) && isRecord(body.error) ? body.error : {};
  const { message, requestId, details } = info;
  return {
    error: {
      code: response.status,
      message: typeof message === 'string' ? message : describeStatus(response),
      requestId: typeof requestId === 'string' ? requestId : (response.headers.get('X-Request-Id') ?? ''),
      ...(Array.isArray(details) ? { details: details.filter(isErrorDetail) } : {}),
    },
  };
}

function describeStatus(response: Response): string {
  const name = response.statusText === '' ? '' : ` ${response.statusText}`;
  return (
    `The server answered ${response.status}${name} without saying why. ` +
    'The answer probably comes from a proxy before it: check the base address and try again.'
  );
}

function isErrorDetail(value: unknown): value is ErrorDetail {
  return isRecord(value) && ['in', 'path', 'message'].every((name) => typeof value[name] === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
