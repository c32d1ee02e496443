/**
 * Typed client of any contract, for browsers and Node. Its types are computed from the `paths` that
 * `colophon generate` writes.
 *
 * @example
 * import { createClient, ok } from '@colophon/toolkit/client'
 * import type { paths } from './generated/schema.d.ts'
 *
 * const client = createClient<paths>({ baseUrl: 'https://api.example.com', token })
 * const user = await ok(client.GET('/user'))
 *
 * @module
 */
export { type ClientOptions, createClient } from './client.ts';
export {
  ApiError,
  type ApiErrorKind,
  type ApiErrorProperties,
  type ErrorDetail,
  type ErrorStatus,
  type ReasonOf,
  type RequestLine,
} from './errors.ts';
export type { Fetch } from './exchange.ts';
export type {
  CallEvent,
  FailureEvent,
  Hooks,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from './hooks.ts';
export {
  type CursorOptions,
  cursorPages,
  linkPages,
  type OffsetOptions,
  offsetPages,
  type PageShape,
  type Query,
  type RetrievedPage,
} from './pages.ts';
export { type Listing, paginate } from './paginate.ts';
export type { ParameterStyle, ParameterStyles } from './query.ts';
export type { RetryOptions } from './retry.ts';
export type { Runtime } from './runtime.ts';
export type {
  BinaryBody,
  Call,
  CallFormat,
  CallOptions,
  Client,
  Data,
  Failure,
  Init,
  InitArgument,
  ListItem,
  ListPath,
  Method,
  ParameterLocation,
  ParseAs,
  PathWith,
  Result,
  Styles,
} from './types.ts';
export { ok } from './unwrap.ts';
