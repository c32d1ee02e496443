import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { ContractError, type ErrorBody, notFound } from './errors.ts';
import { endEarly } from './linger.ts';

/** Where faults of the server are told; pino's loggers fit. */
export interface FaultLog {
  error(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
}

/**
 * The one place where an error becomes a response. Errors of the contract say their status and
 * message; anything else is a fault of the server: a 500 that tells only the request id, and a log
 * line that tells the rest.
 *
 * @param translate turns errors of lower rooms into the contract's, undefined for those it does not know
 */
export function answerFailures(
  log: FaultLog,
  translate: (error: unknown) => ContractError | undefined = () => undefined,
): ErrorRequestHandler {
  return (error: unknown, req: Request, res: Response, next) => {
    if (res.headersSent) {
      log.error({ err: error, requestId: res.locals.requestId }, 'failed after the response had begun');
      next(error);
      return;
    }
    const known = error instanceof ContractError ? error : (translate(error) ?? ofTransport(error));
    const requestId = String(res.locals.requestId);
    if (!known)
      log.error({ err: error, requestId, operation: res.locals.operationId }, 'a fault of the server');
    const failure =
      known ??
      new ContractError(500, `The server failed; it is not your fault. Report the request id ${requestId}.`);
    const body: ErrorBody = {
      error: {
        code: failure.status,
        message: failure.message,
        requestId,
        ...(failure.details.length > 0 && { details: failure.details }),
      },
    };
    res.status(failure.status).set(failure.headers).type('json');
    endEarly(req, res, JSON.stringify(body));
  };
}

/** Errors that Express itself makes of a request, such as bad percent-encoding in a path. */
function ofTransport(error: unknown): ContractError | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error.status < 400 || error.status > 499) return undefined;
  if (error instanceof URIError)
    return new ContractError(
      400,
      'The path is not well encoded: each % must be followed by two hexadecimal digits.',
      {
        details: [{ in: 'path', path: '', message: 'has bad percent-encoding' }],
      },
    );
  return new ContractError(error.status, `${STATUS_CODES[error.status] ?? 'The request was refused'}.`);
}

/** The end of the road: no path of the contract and no page of the server. */
export const nothingHere: RequestHandler = (_req, _res, next) => next(notFound('path'));
