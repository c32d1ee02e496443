/**
 * Server runtime of any contract: an Express router that authenticates callers, validates requests, calls the handler
 * of each operation and sends its result. Its types are computed from the files that `colophon generate` writes.
 *
 * @module
 */

export { createDocsPage } from './docs/docs-page.ts';
export { type HttpMethod, type OpenApiDocument, operationsOf } from './document.ts';
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
export { DEFAULT_LIMITS, type RouterLimits } from './limits/limits.ts';
export { RateLimit, type RateLimitOptions } from './limits/rate-limit.ts';
export type { RequestCount, SharedCounts } from './limits/request-counts.ts';
export { type Listener, type ListenerOptions, listen } from './listener.ts';
export { addressKey, callerAddress } from './request/address.ts';
export type { FieldPart, FilePart, FormOf, MultipartBody, PartOf } from './request/bodies/body-types.ts';
export type { BasicCredential } from './request/credentials.ts';
export type { RequestContext, RequestInfo } from './request/request-info.ts';
export { createRequestLogger, type EndedRequest } from './request/request-log.ts';
export type { HookDetails, SecurityHook, SecurityHooks } from './request/security.ts';
export {
  describePlace,
  type UnsupportedPlace,
  unsupportedPlaces,
} from './request/values/unsupported-places.ts';
export { type ErrorFormat, errorEnvelope, problemDetails } from './response/error-formats.ts';
export {
  createErrorHandler,
  type ErrorHandlerOptions,
  notFoundHandler,
  type RuntimeLogger,
} from './response/error-handler.ts';
export { DeferredJson, JsonBytes } from './response/json.ts';
export { type Reply, reply } from './response/reply.ts';
export type { ServerSentEvent, UndeclaredReply } from './response/reply-types.ts';
export { createContractRouter } from './router.ts';
export type { HandlerCall, RouterOptions } from './router-options.ts';
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
export type { ReadOnlyPolicy } from './validation/directions.ts';
export type { NamedFormats } from './validation/named-formats.ts';
export { type CheckSchema, createSchemas } from './validation/schemas.ts';
export type { Validation } from './validation/validation.ts';
