import type { RequestHandler } from 'express';
import type { RuntimeLogger } from '../response/error-handler.ts';
import { assignRequestId } from './request-id.ts';

/**
 * Creates the middleware that assigns each request an ID (`X-Request-Id` of the response, `requestId` of errors and
 * log lines) and logs one line when it ends. Query strings and headers may contain secrets and are not logged.
 */
export function createRequestLogger(log: RuntimeLogger): RequestHandler {
  return (req, res, next) => {
    const requestId = assignRequestId(res);
    const startedAt = performance.now();
    res.once('close', () => {
      const fields = {
        requestId,
        method: req.method,
        path: req.path,
        operation: res.locals.operationId,
        status: res.statusCode,
        milliseconds: Math.round(performance.now() - startedAt),
      };
      if (!res.writableFinished) {
        log.warn(fields, 'connection closed by the caller');
      } else {
        log.info(fields, 'request completed');
      }
    });
    next();
  };
}
