/** One field of a request at fault, as the contract's error body lists it. */
export interface Fault {
  in: 'path' | 'query' | 'header' | 'body';
  /** A name, or names and indexes joined by dots; empty for the whole part. */
  path: string;
  message: string;
}

/** The contract's error body. */
export interface ErrorBody {
  error: { code: number; message: string; requestId: string; details?: Fault[] };
}

/**
 * A failure that the contract knows: thrown anywhere below a handler, turned into the error body in
 * one place. Its message is for the caller: what happened, why, how to mend it.
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

/** 400: the request does not fit the contract; `details` names each field at fault. */
export const badRequest = (message: string, details: Fault[] = []) =>
  new ContractError(400, message, { details });

/** 400 for one field of the body that only the server can judge. */
export const badField = (path: string, message: string) =>
  badRequest(`The request does not fit the contract: ${path} ${message}.`, [{ in: 'body', path, message }]);

/** 401: no credential, or one that is unknown, expired or revoked (RFC 6750, section 3). */
export const unauthorized = (message: string) =>
  new ContractError(401, message, { headers: { 'WWW-Authenticate': 'Bearer' } });

/** 403: the caller sees the thing and may not do this to it. */
export const forbidden = (message: string) => new ContractError(403, message);

/** 404: there is no such thing, or the caller may not see it. */
export const notFound = (thing: string) =>
  new ContractError(404, `There is no such ${thing}, or you may not see it. Check the id and the token.`);

/** 405 with the methods that the path does take (RFC 9110, section 15.5.6). */
export const methodNotAllowed = (method: string, allowed: string[]) =>
  new ContractError(405, `${method} is not an operation of this path; it takes ${allowed.join(', ')}.`, {
    headers: { Allow: allowed.join(', ') },
  });

/** 406: the caller takes none of the media types that the operation answers with. */
export const notAcceptable = () =>
  new ContractError(
    406,
    'The answer is JSON, which Accept excludes; leave Accept out, or allow application/json.',
  );

/** 409: the state of the thing forbids the request, or a name is taken. */
export const conflict = (message: string) => new ContractError(409, message);

/** 413: the body is larger than the operation takes. */
export const contentTooLarge = (limit: number) =>
  new ContractError(413, `The body is larger than the ${limit} bytes that this operation takes.`);

/** 415: the body is not of a media type that the operation takes. */
export const unsupportedMediaType = (given: string | undefined) =>
  new ContractError(
    415,
    `${given ? `The media type ${given}` : 'A body without a media type'} is not supported; send JSON with Content-Type: application/json.`,
  );

/** 429: too many requests; `seconds` until the next is served. */
export const tooManyRequests = (seconds: number) =>
  new ContractError(429, `Too many requests; try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });

/** 501: the contract declares the operation, this server does not serve it yet. */
export const notImplemented = (operationId: string) =>
  new ContractError(501, `This server does not implement ${operationId} yet.`);

/** 503: the server cannot serve this now; nothing was written, and the same request may be sent again. */
export const unavailable = (
  message = 'The server is too busy for this request right now; send it again in a second.',
  seconds = 1,
) => new ContractError(503, message, { headers: { 'Retry-After': String(seconds) } });
