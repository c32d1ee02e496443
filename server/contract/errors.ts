/** An invalid field of a request, as listed in `error.details`. */
export interface Fault {
  in: 'path' | 'query' | 'header' | 'body';
  /** Names and array indexes joined by dots; empty for the whole part. */
  path: string;
  message: string;
}

/** The body of an error response. */
export interface ErrorBody {
  error: { code: number; message: string; requestId: string; details?: Fault[] };
}

/**
 * An error with a status that the contract declares. Thrown anywhere below a handler and turned into the error
 * response by the error handler. The message is for the caller: what happened and how to fix it.
 */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly status: number;
  readonly details: Fault[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: { details?: Fault[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.details = more.details ?? [];
    this.headers = more.headers ?? {};
  }
}

/** 400: the request is invalid; `details` names each invalid field. */
export const badRequest = (message: string, details: Fault[] = []) =>
  new ContractError(400, message, { details });

/** 400 for a body field whose validity depends on the server's state. */
export const badField = (path: string, message: string) =>
  badRequest(`Invalid request: ${path} ${message}.`, [{ in: 'body', path, message }]);

/** 401: the credential is missing, unknown, expired or revoked (RFC 6750, section 3). */
export const unauthorized = (message: string) =>
  new ContractError(401, message, { headers: { 'WWW-Authenticate': 'Bearer' } });

/** 403: the caller lacks permission for this operation. */
export const forbidden = (message: string) => new ContractError(403, message);

/** 404: the resource does not exist or is not visible to the caller. */
export const notFound = (resource: string) =>
  new ContractError(
    404,
    `The ${resource} does not exist or is not visible to you. Check the ID and the token.`,
  );

/** 405 with the methods that the path supports (RFC 9110, section 15.5.6). */
export const methodNotAllowed = (method: string, allowed: string[]) =>
  new ContractError(
    405,
    `Method ${method} is not allowed for this path. Allowed methods: ${allowed.join(', ')}.`,
    {
      headers: { Allow: allowed.join(', ') },
    },
  );

/** 406: the caller accepts none of the media types of the response. */
export const notAcceptable = () =>
  new ContractError(
    406,
    'The response is JSON, which the Accept header excludes. Omit Accept, or include application/json.',
  );

/** 409: the request conflicts with the state of the resource. */
export const conflict = (message: string) => new ContractError(409, message);

/** 413: the body exceeds the limit of the operation. */
export const contentTooLarge = (limit: number) =>
  new ContractError(413, `The request body exceeds the limit of ${limit} bytes.`);

/** 415: the media type of the body is not supported. */
export const unsupportedMediaType = (contentType: string | undefined) =>
  new ContractError(
    415,
    `${contentType ? `Unsupported Content-Type: ${contentType}` : 'Content-Type is required'}. Send JSON with Content-Type: application/json.`,
  );

/** 429: the rate limit is exceeded; `seconds` until it resets. */
export const tooManyRequests = (seconds: number) =>
  new ContractError(429, `Too many requests. Try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });

/** 501: the contract declares the operation, but the server does not implement it yet. */
export const notImplemented = (operationId: string) =>
  new ContractError(501, `The operation ${operationId} is not implemented yet.`);

/** 503: the server cannot serve the request now. Nothing was written, so the request can be retried. */
export const unavailable = (message = 'The server is overloaded. Try again in a second.', seconds = 1) =>
  new ContractError(503, message, { headers: { 'Retry-After': String(seconds) } });
