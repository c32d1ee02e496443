import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { FaultLog } from './failures.ts';

/**
 * Gives each request an id (`X-Request-Id` of the response, `requestId` of errors and log lines) and
 * logs one line when it ends. Neither query strings nor headers are logged: both carry secrets.
 */
export function observe(log: FaultLog): RequestHandler {
  return (req, res, next) => {
    const requestId = randomUUID();
    const begun = performance.now();
    res.locals.requestId = requestId;
    res.set('X-Request-Id', requestId);
    res.once('close', () => {
      const fields = {
        requestId,
        method: req.method,
        path: req.path,
        operation: res.locals.operationId,
        status: res.statusCode,
        milliseconds: Math.round(performance.now() - begun),
      };
      if (!res.writableFinished) log.warn(fields, 'the caller hung up');
      else log.info(fields, 'served');
    });
    next();
  };
}
