/**
 * Server runtime of any contract: an Express router that authenticates callers, validates requests, calls the handler
 * of each operation and sends its result. Its types are computed from the files that `colophon generate` writes.
 *
 * @module
 */
export { addressKey, callerAddress } from './address.ts';
export type { FieldPart, FilePart, FormOf, MultipartBody, PartOf } from './body-types.ts';
export type { BasicCredential } from './credentials.ts';
export type { ReadOnlyPolicy } from './directions.ts';
export { createDocsPage } from './docs-page.ts';
export { type HttpMethod, type OpenApiDocument, operationsOf } from './document.ts';
export { type ErrorFormat, errorEnvelope, problemDetails } from './error-formats.ts';
export {
  createErrorHandler,
  type ErrorHandlerOptions,
  notFoundHandler,
  type RuntimeLogger,
} from './error-handler.ts';
export {
  badGateway,
  badRequest,
  ContractError,
  conflict,
  contentTooLarge,
  type ErrorBody,
  type ErrorMore,
  type Fault,
  fieldInvalid,
  fieldsInvalid,
  forbidden,
  gatewayTimeout,
  gone,
  locked,
  methodNotAllowed,
  notAcceptable,
  notFound,
  notImplemented,
  paymentRequired,
  preconditionFailed,
  preconditionRequired,
  RUNTIME_REASONS,
  requestMalformed,
  tooManyRequests,
  unauthenticated,
  unavailable,
  unprocessable,
  unsupportedMediaType,
} from './errors.ts';
export { createHealth } from './health.ts';
export { DeferredJson, JsonBytes } from './json.ts';
export { DEFAULT_LIMITS, type RouterLimits } from './limits.ts';
export { type Listener, type ListenerOptions, listen } from './listener.ts';
export { RateLimit, type RateLimitOptions } from './rate-limit.ts';
export { type Reply, reply } from './reply.ts';
export type { ServerSentEvent, UndeclaredReply } from './reply-types.ts';
export { describePlace, type UnsupportedPlace, unsupportedPlaces } from './request/unsupported-places.ts';
export type { RequestCount, SharedCounts } from './request-counts.ts';
export type { RequestContext, RequestInfo } from './request-info.ts';
export { createRequestLogger } from './request-log.ts';
export { createContractRouter } from './router.ts';
export type { HandlerCall, RouterOptions } from './router-options.ts';
export { type CheckSchema, createSchemas } from './schemas.ts';
export type { HookDetails, SecurityHook, SecurityHooks } from './security.ts';
export type {
  ExpressHandler,
  ExpressHandlers,
  Handler,
  HandlerResult,
  Handlers,
  OperationRow,
  OperationTable,
  ReplyOf,
  RequestOf,
  UnsupportedId,
} from './types.ts';
export type { NamedFormats } from './validation/named-formats.ts';
export type { Validation } from './validation.ts';
