/**
 * Typed client of the documentation platform's management API, for browsers and Node.
 *
 * @example
 * import { createClient, ok, paginate } from '@colophon/platform-client'
 *
 * const client = createClient({ baseUrl: 'https://docs.example.com', token })
 * for await (const organization of paginate(client, '/v1/orgs')) {
 *   console.log(organization.title)
 * }
 *
 * @module
 */
export * from '../../generated/functions.ts';
export type * from '../../generated/schema.d.ts';
export type { ClientOptions } from '../client.ts';
export type { ApiErrorKind, ErrorDetail, RequestLine } from '../errors.ts';
export type { Fetch } from '../exchange.ts';
export type {
  CallEvent,
  FailureEvent,
  Hooks,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from '../hooks.ts';
export { type Listing, paginate } from '../paginate.ts';
export type { RetryOptions } from '../retry.ts';
export type { Runtime } from '../runtime.ts';
export type { BinaryBody, CallOptions, Method, ParseAs, Result } from '../types.ts';
export { ok } from '../unwrap.ts';
export {
  ApiError,
  type Client,
  createClient,
  type Data,
  type ErrorBody,
  type ErrorReason,
  type Init,
  type ListItem,
  type ListPage,
  type ListPath,
  type PathWith,
  type Schemas,
} from './client.ts';
export { type DownloadOptions, type DownloadProgress, download, inlineFile } from './files.ts';
export {
  type GitRun,
  RunFailedError,
  type RunReference,
  type WaitForRunOptions,
  waitForRun,
} from './wait-for-run.ts';
export { type TreePage, walkPages } from './walk-pages.ts';
