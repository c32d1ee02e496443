/** An invalid field of a request, as listed in `error.details`. */
export interface Fault {
  in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** Names and array indexes joined by dots; empty for the whole part. */
  path: string;
  message: string;
}

/** The body of an error response. */
export interface ErrorBody {
  error: { code: number; reason: string; message: string; requestId: string; details?: Fault[] };
}

/** Reasons of the errors that the runtime itself returns. The errors of an application add their own. */
export const RUNTIME_REASONS = [
  'request_malformed',
  'field_invalid',
  'unauthenticated',
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'content_too_large',
  'media_type_unsupported',
  'rate_limited',
  'internal',
  'not_implemented',
  'unavailable',
] as const;

/**
 * An error with a status that the contract declares. Thrown anywhere below a handler and turned into the error
 * response by the error handler. The message is for the caller: what happened and how to fix it.
 */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly status: number;
  /** Machine-readable cause, in snake_case: one of {@link RUNTIME_REASONS}, or one of the application. */
  readonly reason: string;
  readonly details: Fault[];
  readonly headers: Readonly<Record<string, string>>;
  /** Further properties of the error in the response, which the contract declares. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    reason: string,
    message: string,
    more: {
      details?: Fault[];
      headers?: Record<string, string>;
      fields?: Record<string, unknown>;
      cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.reason = reason;
    this.details = more.details ?? [];
    this.headers = more.headers ?? {};
    this.fields = more.fields ?? {};
  }
}

/** What an error of a handler has besides its status and its message. */
export interface ErrorMore {
  /** Machine-readable cause, in snake_case. Default: the name of the function, such as `precondition_failed`. */
  reason?: string;
  details?: Fault[];
  headers?: Record<string, string>;
  /** Further properties of the error in the response, which the contract declares. */
  fields?: Record<string, unknown>;
  cause?: unknown;
}

/** Returns a function that creates errors with a status. */
const errorOf =
  (status: number, defaultReason: string) =>
  (message: string, { reason = defaultReason, ...more }: ErrorMore = {}): ContractError =>
    new ContractError(status, reason, message, more);

/** 400: the request is invalid in a way that no field of it names. See {@link fieldInvalid} for a field. */
export const badRequest = errorOf(400, 'bad_request');

/** 402: the caller must pay first. */
export const paymentRequired = errorOf(402, 'payment_required');

/** 403: the caller lacks permission for the operation. */
export const forbidden = errorOf(403, 'forbidden');

/** 409: the request conflicts with the current state, such as a name that is already used. */
export const conflict = errorOf(409, 'conflict');

/** 410: the resource existed, and was removed for good. */
export const gone = errorOf(410, 'gone');

/** 412: a condition of the request, such as `If-Match`, is not met. */
export const preconditionFailed = errorOf(412, 'precondition_failed');

/** 422: the request is valid by the contract, but cannot be processed. */
export const unprocessable = errorOf(422, 'unprocessable');

/** 423: the resource is locked. */
export const locked = errorOf(423, 'locked');

/** 428: the request must have a condition, such as `If-Match`, so that no update is lost. */
export const preconditionRequired = errorOf(428, 'precondition_required');

/** 502: a service that the operation requires returned an invalid response. */
export const badGateway = errorOf(502, 'bad_gateway');

/** 504: a service that the operation requires did not respond in time. */
export const gatewayTimeout = errorOf(504, 'gateway_timeout');

/** 400: the request cannot be read. */
export const requestMalformed = (message: string, details: Fault[] = []) =>
  new ContractError(400, 'request_malformed', message, { details });

/** 400: fields of the request are invalid; `details` lists each. */
export const fieldsInvalid = (summary: string, details: Fault[]) =>
  new ContractError(400, 'field_invalid', `Invalid request: ${summary}.`, { details });

/** 400 for one field that is invalid because of the server's state. `problem` continues a sentence about the field. */
export const fieldInvalid = (path: string, problem: string, part: Fault['in'] = 'body') =>
  fieldsInvalid(`${path} ${problem}`, [{ in: part, path, message: problem }]);

/**
 * 401: the credential is missing, unknown, expired or revoked. The router adds `WWW-Authenticate` with the schemes of
 * the operation.
 */
export const unauthenticated = (message: string) => new ContractError(401, 'unauthenticated', message);

/** 404: the resource does not exist or is not visible to the caller. */
export const notFound = (resource: string) =>
  new ContractError(
    404,
    'not_found',
    `The ${resource} does not exist or is not visible to you. Check the ID and the token.`,
  );

/** 405 with the methods that the path supports (RFC 9110, section 15.5.6). */
export const methodNotAllowed = (method: string, allowed: string[]) =>
  new ContractError(
    405,
    'method_not_allowed',
    `Method ${method} is not allowed for this path. Allowed methods: ${allowed.join(', ')}.`,
    { headers: { Allow: allowed.join(', ') } },
  );

/** 406: the caller accepts none of the media types of the response. */
export const notAcceptable = (types: readonly string[]) =>
  new ContractError(
    406,
    'not_acceptable',
    `The Accept header excludes all media types of the response. Omit Accept, or include ${types.join(' or ')}.`,
  );

/** 413: the body exceeds a limit. */
export const contentTooLarge = (message: string) => new ContractError(413, 'content_too_large', message);

/** 415: the media type or the content coding of the body is not supported. */
export const unsupportedMediaType = (message: string) =>
  new ContractError(415, 'media_type_unsupported', message);

/** 429: the rate limit is exceeded; `seconds` until it resets. */
export const tooManyRequests = (seconds: number) =>
  new ContractError(429, 'rate_limited', `Too many requests. Try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });

/** 501: the contract declares the operation, but the server does not implement it yet. */
export const notImplemented = (operationId: string) =>
  new ContractError(501, 'not_implemented', `The operation ${operationId} is not implemented yet.`);

/** 503: the server cannot serve the request now. Nothing was written, so the request can be retried. */
export const unavailable = (message = 'The server is overloaded. Try again in a second.', seconds = 1) =>
  new ContractError(503, 'unavailable', message, { headers: { 'Retry-After': String(seconds) } });

/** Returns the message of what was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
