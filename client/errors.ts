import { readRetryAfter } from './retry-after.ts';

/** Invalid field of a request. */
export interface ErrorDetail {
  /** Part of the request that contains the field. */
  in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** Path of the field within that part: property names and array indexes, joined by dots. */
  path: string;
  /** Reason why the field is invalid. */
  message: string;
}

/** Method and URL of a request. The URL has no query, credentials or fragment. */
export interface RequestLine {
  method: string;
  url: string;
}

/**
 * Kind of an error:
 * - `http`: the server returned an error response; see `status`, `body`, `details` and `requestId`.
 * - `network`: no response, or an incomplete one. Whether a write took effect is unknown.
 * - `timeout`: no complete response in time (the `timeout` option, or a signal of `AbortSignal.timeout`).
 *   Whether a write took effect is unknown.
 * - `aborted`: the signal of the call was aborted.
 * - `request`: the request is invalid and was not sent (an empty path parameter, an invalid URL or token).
 * - `response`: the server returned a success response that cannot be read (a body that is not JSON, an invalid list).
 * - `hook`: a hook of the client failed. Whether a write took effect is unknown, unless it was `onRequest`.
 */
export type ApiErrorKind = 'http' | 'network' | 'timeout' | 'aborted' | 'request' | 'response' | 'hook';

/** Statuses of error responses (RFC 9110, section 15, and the registry of IANA). */
export type ErrorStatus =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416)
  | (417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451)
  | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511);

/** Machine-readable causes of a contract with error bodies `{ error: { reason } }`; any text for others. */
export type ReasonOf<Body> = Body extends { error: { reason?: infer Reason extends string } }
  ? Reason
  : string;

/** Properties of an `ApiError`. */
export interface ApiErrorProperties<Body = unknown, Status = number | undefined> extends RequestLine {
  kind: ApiErrorKind;
  message: string;
  status?: Status | undefined;
  body?: Body | undefined;
  reason?: ReasonOf<Body> | undefined;
  details?: readonly ErrorDetail[] | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/**
 * Error of a call. Every failed call throws an `ApiError`, or returns it as `error`.
 *
 * @typeParam Body body of the error response, as the contract declares it
 * @typeParam Status its status
 *
 * @example
 * try {
 *   await ok(client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }))
 * } catch (error) {
 *   if (error instanceof ApiError && error.reason === 'not_found') return undefined
 *   throw error
 * }
 */
export class ApiError<Body = unknown, Status extends number | undefined = number | undefined> extends Error {
  override readonly name = 'ApiError';

  /** Kind of the error. */
  readonly kind: ApiErrorKind;

  /** HTTP status, if the server returned a response. */
  readonly status: Status;

  /**
   * Body of the error response; undefined if it has none that is JSON, plain text or XML. Not validated: a proxy can return
   * one that the contract does not declare.
   */
  readonly body: Body | undefined;

  /**
   * Machine-readable cause, if the server returned one. Newer servers can return further causes: handle an unknown one
   * like its status.
   */
  readonly reason: ReasonOf<Body> | undefined;

  /** Invalid fields of the request; empty for other errors. */
  readonly details: readonly ErrorDetail[];

  /** Identifier of the request in the server's log. Include it in support requests. */
  readonly requestId: string | undefined;

  /** Seconds to wait before the next request, as requested by the server (RFC 9110, section 10.2.3). */
  readonly retryAfter: number | undefined;

  /** Method of the request. */
  readonly method: string;

  /** URL of the request, without its query (which may contain a secret), credentials or fragment. */
  readonly url: string;

  constructor(properties: ApiErrorProperties<Body, Status>) {
    super(properties.message, properties.cause === undefined ? undefined : { cause: properties.cause });
    this.kind = properties.kind;
    // Omitted only where `Status` includes undefined.
    this.status = properties.status as Status;
    this.body = properties.body;
    this.reason = properties.reason;
    this.details = properties.details ?? [];
    this.requestId = properties.requestId;
    this.retryAfter = properties.retryAfter;
    this.method = properties.method;
    this.url = properties.url;
  }

  /** Properties for `JSON.stringify`, such as in a log. Without the body, which may be large or confidential. */
  toJSON(): object {
    const { body: _, details, ...others } = this;
    return { ...others, message: this.message, ...(details.length > 0 && { details }) };
  }
}

/**
 * Creates the error for an error response.
 *
 * Message, reason, request ID and details are read from the common shapes of error bodies: `{ error: { message, … } }`,
 * problem details (RFC 9457), and `{ message }`.
 * @param request method and URL
 * @param body parsed JSON, plain text, or undefined
 * @param response status and headers
 * @param now current time in milliseconds since 1970, for a `Retry-After` date
 */
export function httpError(request: RequestLine, body: unknown, response: Response, now: number): ApiError {
  const outer = isRecord(body) ? body : {};
  const info = isRecord(outer.error) ? outer.error : outer;
  const text = (...values: unknown[]) =>
    values.find((value): value is string => typeof value === 'string' && value !== '');
  const wait = readRetryAfter(response.headers.get('Retry-After'), now);
  return new ApiError({
    kind: 'http',
    message:
      text(info.message, info.detail, outer.error_description, outer.error, info.title) ??
      describeStatus(response),
    method: request.method,
    url: request.url,
    status: response.status,
    body,
    reason: text(info.reason),
    details: Array.isArray(info.details) ? info.details.filter(isErrorDetail) : [],
    requestId: text(info.requestId, response.headers.get('X-Request-Id')),
    retryAfter: wait === undefined ? undefined : Math.ceil(wait / 1000),
  });
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
