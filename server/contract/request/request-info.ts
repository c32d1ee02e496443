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
  return new LazyRequestInfo(operationId, req, res);
}

/**
 * Computes most properties on first use, because most handlers use few of them. Own properties, which spread syntax
 * copies; and their getters are the same functions in all objects. V8 keeps getters of their own, and the request that
 * they refer to, until a full garbage collection, which doubles the memory of a busy server.
 */
class LazyRequestInfo implements UnverifiedRequest {
  static readonly #COMPUTED: PropertyDescriptorMap & ThisType<LazyRequestInfo> = {
    requestId: {
      enumerable: true,
      get() {
        return requestIdOf(this.#res);
      },
    },
    address: {
      enumerable: true,
      get() {
        this.#address ??= callerAddress(this.#req);
        return this.#address;
      },
    },
    signal: {
      enumerable: true,
      get() {
        this.#controller ??= abortedOnClose(this.#res);
        return this.#controller.signal;
      },
    },
  };

  readonly operationId: string;
  principals: Record<string, unknown> = {};
  declare readonly requestId: string;
  declare readonly address: string;
  declare readonly signal: AbortSignal;
  readonly #req: Request;
  readonly #res: Response;
  #address: string | undefined;
  #controller: AbortController | undefined;

  constructor(operationId: string, req: Request, res: Response) {
    this.operationId = operationId;
    this.#req = req;
    this.#res = res;
    Object.defineProperties(this, LazyRequestInfo.#COMPUTED);
  }
}

/** Returns a controller that aborts when the caller closes the connection. */
function abortedOnClose(res: Response): AbortController {
  const controller = new AbortController();
  if (res.destroyed) {
    controller.abort();
  }
  res.once('close', () => {
    if (!res.writableFinished) {
      controller.abort();
    }
  });
  return controller;
}
