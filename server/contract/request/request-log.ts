import type { RequestHandler } from 'express';
import type { RuntimeLogger } from '../response/error-handler.ts';
import { assignRequestId } from './request-id.ts';

/** A request that has ended. */
export interface EndedRequest {
  readonly method: string;
  /** ID of its operation; undefined if it matched none. */
  readonly operationId: string | undefined;
  readonly status: number;
  /** `reason` of the error that it was rejected with. */
  readonly reason: string | undefined;
  /** Time between its arrival and the end of its response, in milliseconds. */
  readonly milliseconds: number;
  /** Whether its whole response was sent. */
  readonly isComplete: boolean;
}

/**
 * Creates the middleware that assigns each request an ID (`X-Request-Id` of the response, `requestId` of errors and
 * log lines) and logs one line when it ends. Query strings and headers may contain secrets and are not logged.
 *
 * @param onEnd called with each request that has ended, such as to count it
 */
export function createRequestLogger(
  log: RuntimeLogger,
  onEnd?: (request: EndedRequest) => void,
): RequestHandler {
  return (req, res, next) => {
    const requestId = assignRequestId(res);
    const startedAt = performance.now();
    res.once('close', () => {
      const milliseconds = performance.now() - startedAt;
      // Set by the router and by the error handler.
      const { operationId, reason } = res.locals as { operationId?: string; reason?: string };
      const fields = {
        requestId,
        method: req.method,
        path: req.path,
        operation: operationId,
        status: res.statusCode,
        reason,
        milliseconds: Math.round(milliseconds),
      };
      const isComplete = res.writableFinished;
      onEnd?.({ method: req.method, operationId, status: res.statusCode, reason, milliseconds, isComplete });
      if (!isComplete) {
        log.warn(fields, 'connection closed by the caller');
      } else {
        log.info(fields, 'request completed');
      }
    });
    next();
  };
}
