import type { Request, Response } from 'express';
import { callerAddress } from './address.ts';
import { requestIdOf } from './request-id.ts';

/** Properties of a request of an operation. */
export interface RequestInfo {
  readonly operationId: string;
  readonly requestId: string;
  /** The caller's IP address; empty if the connection is already closed. */
  readonly address: string;
  /** Aborted when the caller closes the connection. */
  readonly signal: AbortSignal;
}

/** The context of a handler, unless the option `context` of the router creates another one. */
export interface RequestContext<Principals = Record<never, never>> extends RequestInfo {
  /**
   * What the security hooks returned, by security scheme. Handlers of operations that require a credential receive a
   * type with at least one defined.
   */
  readonly principals: Partial<Principals>;
}

/** The properties of a request before the router adds the principals. */
export type UnverifiedRequest = RequestInfo & { principals: Record<string, unknown> };

/** Returns the properties of a request of an operation. */
export function requestInfo(operationId: string, req: Request, res: Response): UnverifiedRequest {
  // A socket that was asked for the address still knows it after the connection is closed.
  void req.socket.remoteAddress;
  let address: string | undefined;
  let controller: AbortController | undefined;
  // Most handlers use few of these.
  return {
    operationId,
    principals: {},
    get requestId() {
      return requestIdOf(res);
    },
    get address() {
      address ??= callerAddress(req);
      return address;
    },
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
