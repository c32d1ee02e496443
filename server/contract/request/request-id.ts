import { randomUUID } from 'node:crypto';
import type { Response } from 'express';

/**
 * Returns the ID of a request (`X-Request-Id` of the response, `requestId` of errors and log lines). Without
 * `createRequestLogger`, it is assigned at the first use.
 */
export function requestIdOf(res: Response): string {
  const { requestId } = res.locals;
  return typeof requestId === 'string' ? requestId : assignRequestId(res);
}

/** Assigns a new ID to a request. */
export function assignRequestId(res: Response): string {
  const requestId = randomUUID();
  res.locals.requestId = requestId;
  if (!res.headersSent) {
    res.setHeader('X-Request-Id', requestId);
  }
  return requestId;
}
