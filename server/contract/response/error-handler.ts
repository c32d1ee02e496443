import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { ContractError, notFound, requestMalformed } from '../errors.ts';
import { STATUS_CODES } from '../http.ts';
import { endEarly } from '../limits/linger.ts';
import { requestIdOf } from '../request/request-id.ts';
import { type ErrorFormat, errorEnvelope } from './error-formats.ts';

/** The logger of the server runtime. Compatible with pino. */
export interface RuntimeLogger {
  error(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
}

/** Options of an error handler. */
export interface ErrorHandlerOptions {
  /** Converts errors of the application to `ContractError`; returns undefined for unexpected errors. */
  translate?: (error: unknown) => ContractError | undefined;
  /** Returns the body of an error response. Defaults to {@link errorEnvelope}. */
  format?: ErrorFormat;
}

/**
 * Creates the error handler. A `ContractError` becomes a response with its status and message. Any other error
 * is logged and becomes a 500 that reveals only the request ID.
 */
export function createErrorHandler(
  log: RuntimeLogger,
  { translate = () => undefined, format = errorEnvelope }: ErrorHandlerOptions = {},
): ErrorRequestHandler {
  return (error: unknown, req: Request, res: Response, next) => {
    const requestId = requestIdOf(res);
    if (res.headersSent) {
      log.error({ err: error, requestId }, 'error after the response was started');
      next(error);
      return;
    }
    const expected = error instanceof ContractError ? error : (translate(error) ?? toHttpError(error));
    if (!expected) {
      log.error({ err: error, requestId, operation: res.locals.operationId }, 'internal server error');
    }
    const failure =
      expected ?? new ContractError(500, 'internal', `Internal server error. Request ID: ${requestId}.`);
    res.locals.reason = failure.reason;
    const { contentType, body } = format(failure, requestId);
    res.status(failure.status).set(failure.headers).type(contentType);
    endEarly(req, res, typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Converts an error raised by Express, such as invalid percent-encoding in a path. */
function toHttpError(error: unknown): ContractError | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') {
    return undefined;
  }
  if (error.status < 400 || error.status > 499) {
    return undefined;
  }
  if (error instanceof URIError) {
    return requestMalformed(
      'Invalid percent-encoding in the path: each % must be followed by two hexadecimal digits.',
      [{ in: 'path', path: '', message: 'has invalid percent-encoding' }],
    );
  }
  return new ContractError(
    error.status,
    'request_malformed',
    `${STATUS_CODES[error.status] ?? 'The request was rejected'}.`,
  );
}

/** Rejects requests that no route matches. */
export const notFoundHandler: RequestHandler = (_req, _res, next) => next(notFound('path'));
