import type { IncomingHttpHeaders } from 'node:http';
import type { OpenApiDocument } from './document.ts';
import type { RouterLimits } from './limits/limits.ts';
import type { RateLimit } from './limits/rate-limit.ts';
import type { RequestContext } from './request/request-info.ts';
import type { SecurityHooks } from './request/security.ts';
import type { ExpressHandlers, Handlers, OperationRow } from './types.ts';
import type { ReadOnlyPolicy } from './validation/directions.ts';
import type { NamedFormats } from './validation/named-formats.ts';
import type { Validation } from './validation/validation.ts';

/** The call of a handler: its operation, and its validated request. */
export interface HandlerCall<Context> {
  operationId: string;
  path: object;
  query: object;
  /** All headers of the request, by lower-case names. */
  headers: IncomingHttpHeaders;
  body: unknown;
  context: Context;
}

/**
 * Contract, handlers and callbacks of a router.
 *
 * @typeParam Operations the generated interface `operations`
 * @typeParam Table the type of the generated constant `operations`
 * @typeParam Context the context of the handlers
 * @typeParam Principals what the security hooks return, by security scheme
 * @typeParam Only the operation ids of the option `only`, which then all require a handler
 */
export type RouterOptions<
  Operations,
  Table,
  Context,
  Principals,
  Only extends keyof Operations = never,
> = CommonOptions<Operations, Table, Context, Principals> &
  HandlerOptions<Operations, Table, Context, Only> &
  ContextOption<Context, Principals>;

/** The handlers of all operations, or of a part of them. */
type HandlerOptions<Operations, Table, Context, Only extends keyof Operations> =
  | { handlers: Handlers<Operations, Table, Context>; only?: undefined }
  | {
      /** Requests to all other operations and methods are passed on to the next handler. */
      only: readonly ([Only] extends [never] ? keyof Operations : Only)[];
      handlers: [Only] extends [never]
        ? Partial<Handlers<Operations, Table, Context>>
        : Handlers<Pick<Operations, Only>, Table, Context>;
    };

/** Required unless the handlers receive a {@link RequestContext}. */
type ContextOption<Context, Principals> =
  RequestContext<Principals> extends Context
    ? { context?: CreateContext<Context, Principals> }
    : { context: CreateContext<Context, Principals> };

/** Creates the context of a handler, after the caller is authenticated. */
type CreateContext<Context, Principals> = (request: RequestContext<Principals>) => Context | Promise<Context>;

/** Options that do not depend on the type of the context. */
export interface CommonOptions<Operations, Table, Context, Principals> {
  /** The generated OpenAPI document. */
  document: OpenApiDocument;
  /** The generated table of operations. */
  operations: Table & Readonly<Partial<Record<keyof Operations & string, OperationRow>>>;
  /**
   * Express handlers of operations that the router refuses (`unsupported` in the table). They are called after the caller
   * is authenticated, unless the router does not support the security schemes of the operation, and the context is in
   * `res.locals`. Their requests and responses are not validated.
   */
  express?: ExpressHandlers<Operations, Table, Context>;
  /**
   * Whether the table was generated from exactly this document, so that `unsupported` in the table shows which operations
   * the router refuses. By default it checks the document again, which takes some 50 ms for 150 operations.
   */
  trustTable?: boolean;
  /** A hook for each security scheme that operations require. */
  security: SecurityHooks<Principals>;
  /** Throws if the caller may not use the operation at all. */
  authorize?: (operationId: string, context: Context) => void;
  /** Returns the key that a caller's limits are counted under, such as a token ID. Defaults to the address. */
  callerKey?: (context: Context) => string;
  /** Rate limit of callers and addresses. None by default. */
  rateLimit?: RateLimit | undefined;
  /** Limits that differ from {@link DEFAULT_LIMITS}. */
  limits?: Partial<RouterLimits>;
  /** What happens to `readOnly` properties of requests. Defaults to `ignore`, which removes them. */
  readOnly?: ReadOnlyPolicy;
  /**
   * Formats of texts that the contract names, such as `format: x509-certificate`. Texts of requests that do not have
   * them are rejected with the rule that the contract states in `x-rule`.
   */
  formats?: NamedFormats;
  /** Wraps the call of each handler. `work` calls the handler and returns its result. */
  perform?: (work: () => Promise<unknown>, call: HandlerCall<Context>) => Promise<unknown>;
  /** Whether responses are validated against the contract: in development and tests. */
  validateResponses: boolean;
  /** Whether validators are compiled after startup instead of with the first request that uses them. */
  compileAhead?: boolean;
  /** Validations to share with other routers of the same document, by operation id. Missing ones are added. */
  validations?: Map<string, Validation>;
  /** Returns response headers that follow from the body or the context, such as `Location`. */
  headersOf?: (operationId: string, body: unknown, context: Context) => Record<string, string>;
}
