import type { Request, Response } from 'express';
import { callerAddress } from './address.ts';
import { unauthenticated } from './errors.ts';
import type { OperationRow } from './types.ts';

/** A request to authenticate. The context of the handler is created from it. */
export interface RequestInfo {
  operationId: string;
  requestId: string;
  /** The caller's IP address; empty if the connection is already closed. */
  address: string;
  /** The credential of `Authorization: Bearer …`; undefined if the operation requires none. */
  bearer: string | undefined;
  /** Aborted when the caller closes the connection. */
  readonly signal: AbortSignal;
}

/**
 * Returns the properties of a request of an operation.
 *
 * @throws ContractError 401 if a required credential is missing
 */
export function requestInfo(
  { id, row }: { id: string; row: OperationRow },
  req: Request,
  res: Response,
): RequestInfo {
  let controller: AbortController | undefined;
  return {
    operationId: id,
    requestId: String(res.locals.requestId),
    address: callerAddress(req),
    bearer: row.secured ? bearerOf(req) : undefined,
    get signal() {
      if (!controller) {
        const created = new AbortController();
        controller = created;
        if (res.destroyed) {
          created.abort();
        }
        res.once('close', () => {
          if (!res.writableFinished) {
            created.abort();
          }
        });
      }
      return controller.signal;
    },
  };
}

function bearerOf(req: Request): string {
  const match = /^Bearer +([^\s]+)$/i.exec(req.headers.authorization ?? '');
  if (!match?.[1]) {
    throw unauthenticated('An access token is required. Send Authorization: Bearer <token>.');
  }
  return match[1];
}
