/**
 * Server runtime of any contract: an Express router that authenticates callers, validates requests, calls the handler
 * of each operation and sends its result. Its types are computed from the files that `colophon generate` writes.
 *
 * @module
 */
export { createDocsPage } from './docs-page.ts';
export type { OpenApiDocument } from './document.ts';
export { createErrorHandler, notFoundHandler, type RuntimeLogger } from './error-handler.ts';
export { ContractError, unauthenticated } from './errors.ts';
export type { RequestInfo } from './request-info.ts';
export { createRequestLogger } from './request-log.ts';
export { createContractRouter } from './router.ts';
export type { RouterOptions } from './router-options.ts';
export type { Handler, HandlerResult, Handlers, OperationRow, RequestOf } from './types.ts';
