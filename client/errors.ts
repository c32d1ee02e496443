import type { components } from '../generated/schema.d.ts';
import { readRetryAfter } from './retry-after.ts';

/**
 * Machine-readable cause of an error response, as the contract lists it. Newer servers can return further reasons:
 * handle an unknown one like its status.
 */
export type ErrorReason = components['schemas']['ErrorReason'];

/** Body of every error response. `reason` is undefined if a proxy returned the response. */
export interface ErrorBody {
  error: Omit<components['schemas']['ErrorInfo'], 'reason'> & { reason?: ErrorReason };
}

/** Invalid field of a request. */
export type ErrorDetail = components['schemas']['ErrorDetail'];

/** Method and URL of a request. The URL has no query, credentials or fragment. */
export interface RequestLine {
  method: string;
  url: string;
}

/**
 * Kind of an error:
 * - `http`: the server returned an error response; see `status`, `details` and `requestId`.
 * - `network`: no response, or an incomplete one. Whether a write took effect is unknown.
 * - `timeout`: no complete response in time (the `timeout` option, or a signal of `AbortSignal.timeout`).
 *   Whether a write took effect is unknown.
 * - `aborted`: the signal of the call was aborted.
 * - `request`: the request is invalid and was not sent (an empty path parameter, an invalid URL or token).
 * - `response`: the server returned a success response that cannot be read (a body that is not JSON, an invalid list).
 */
export type ApiErrorKind = 'http' | 'network' | 'timeout' | 'aborted' | 'request' | 'response';

/** Properties of an `ApiError`. */
export interface ApiErrorProperties extends RequestLine {
  kind: ApiErrorKind;
  message: string;
  status?: number | undefined;
  reason?: ErrorReason | undefined;
  details?: readonly ErrorDetail[] | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/**
 * Error of a call. Every failed call throws an `ApiError`.
 *
 * @example
 * try {
 *   await ok(client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }))
 * } catch (error) {
 *   if (error instanceof ApiError && error.reason === 'not_found') return undefined
 *   throw error
 * }
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** Kind of the error. */
  readonly kind: ApiErrorKind;

  /** HTTP status, if the server returned a response. */
  readonly status: number | undefined;

  /** Machine-readable cause, if the server returned one. */
  readonly reason: ErrorReason | undefined;

  /** Invalid fields of the request; empty for other errors. */
  readonly details: readonly ErrorDetail[];

  /** Identifier of the request in the server's log. Include it in support requests. */
  readonly requestId: string | undefined;

  /** Seconds to wait before the next request, as requested by the server (RFC 9110, section 10.2.3). */
  readonly retryAfter: number | undefined;

  /** Method of the request. */
  readonly method: string;

  /** URL of the request, without its query (which may contain a share key), credentials or fragment. */
  readonly url: string;

  constructor(properties: ApiErrorProperties) {
    super(properties.message, properties.cause === undefined ? undefined : { cause: properties.cause });
    this.kind = properties.kind;
    this.status = properties.status;
    this.reason = properties.reason;
    this.details = properties.details ?? [];
    this.requestId = properties.requestId;
    this.retryAfter = properties.retryAfter;
    this.method = properties.method;
    this.url = properties.url;
  }
}

/**
 * Creates the error for an error response.
 * @param request method and URL
 * @param body body in the contract's shape
 * @param response status and headers
 * @param now current time in milliseconds since 1970, for a `Retry-After` date
 */
export function httpError(request: RequestLine, body: ErrorBody, response: Response, now: number): ApiError {
  const { message, reason, details, requestId } = body.error;
  const wait = readRetryAfter(response.headers.get('Retry-After'), now);
  return new ApiError({
    kind: 'http',
    message,
    method: request.method,
    url: request.url,
    status: response.status,
    reason,
    details,
    requestId: requestId === '' ? undefined : requestId,
    retryAfter: wait === undefined ? undefined : Math.ceil(wait / 1000),
  });
}

/**
 * Converts the body of an error response to the contract's shape.
 *
 * Proxies and crashed servers return HTML or an empty body. After the conversion, `error` is set for every error
 * response and has a message.
 * @param body parsed JSON, text, or undefined for an empty body
 * @param response status and headers
 */
export function readFailure(body: unknown, response: Response): ErrorBody {
  const info = isRecord(body) && isRecord(body.error) ? body.error : {};
  const { message, reason, requestId, details } = info;
  return {
    error: {
      code: response.status,
      // A newer server can return reasons that this version does not list.
      ...(typeof reason === 'string' && { reason: reason as ErrorReason }),
      message: typeof message === 'string' ? message : describeStatus(response),
      requestId: typeof requestId === 'string' ? requestId : (response.headers.get('X-Request-Id') ?? ''),
      ...(Array.isArray(details) ? { details: details.filter(isErrorDetail) } : {}),
    },
  };
}

function describeStatus(response: Response): string {
  const name = response.statusText === '' ? '' : ` ${response.statusText}`;
  return (
    `The server returned ${response.status}${name} without an error message. ` +
    'The response probably comes from a proxy. Check baseUrl and try again.'
  );
}

function isErrorDetail(value: unknown): value is ErrorDetail {
  return isRecord(value) && ['in', 'path', 'message'].every((name) => typeof value[name] === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
