import type { IncomingHttpHeaders } from 'node:http';
import type { OpenApiDocument } from './document.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestInfo } from './request-info.ts';
import type { Handlers, OperationRow } from './types.ts';
import type { Validation } from './validation.ts';

/** The call of a handler: its operation, and its validated request. */
export interface HandlerCall<Context> {
  operationId: string;
  path: object;
  headers: IncomingHttpHeaders;
  body: unknown;
  context: Context;
}

/** Contract, handlers and callbacks of a router. */
export interface RouterOptions<Operations, Table, Context> {
  document: OpenApiDocument;
  operations: Table & Readonly<Record<keyof Operations & string, OperationRow>>;
  handlers: Handlers<Operations, Table, Context>;
  /** Returns the context of a caller; throws `unauthenticated` for an invalid credential. */
  authenticate: (request: RequestInfo) => Promise<Context>;
  /** Throws if the caller may not use the operation at all. */
  authorize?: (operationId: string, context: Context) => void;
  /**
   * Returns the key that a caller's limits are counted under, such as a token ID. Defaults to the address.
   */
  callerKey?: (context: Context) => string;
  /** Rate limit of callers and addresses. None by default. */
  rateLimit?: RateLimit | undefined;
  /** Time limit in milliseconds for receiving a body, extended in proportion to its size. */
  bodyDeadlineMs?: number;
  /** Wraps the call of each handler. `work` calls the handler and returns its result. */
  perform?: (work: () => Promise<unknown>, call: HandlerCall<Context>) => Promise<unknown>;
  /** Whether responses are validated against the contract. */
  validateResponses: boolean;
  /** Whether validators are compiled after startup instead of with the first request that uses them. */
  compileAhead?: boolean;
  /** Validations to share with other routers of the same document, by operation id. Missing ones are added. */
  validations?: Map<string, Validation>;
  /** Returns the response headers that a success declares, such as `Location`. */
  headersOf?: (operationId: string, body: unknown, context: Context) => Record<string, string>;
}
