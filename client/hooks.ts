import type { ApiError } from './errors.ts';
import type { Method } from './types.ts';

/** Call that a hook is called for. Has no secrets: neither headers of the request nor its query or body. */
export interface CallEvent<Path extends string = string> {
  /** Method of the operation. */
  method: Uppercase<Method>;
  /** Path of the operation, such as `/v1/spaces/{spaceId}`. */
  path: Path;
  /** URL without its query. */
  url: string;
  /** Number of the attempt, from 1; 0 if the request was invalid and not sent. */
  attempt: number;
}

/** Attempt that starts. */
export interface RequestEvent<Path extends string = string> extends CallEvent<Path> {
  /** Headers to add to the attempt, empty at first. Headers that the request already has are not replaced. */
  headers: Headers;
}

/** Response to an attempt, before its body is read. */
export interface ResponseEvent<Path extends string = string> extends CallEvent<Path> {
  status: number;
  /** Milliseconds from the start of the attempt. */
  duration: number;
  /** Headers of the response. Not enumerable, so that they are not logged with the event. */
  headers: Headers;
}

/** Failed attempt that is followed by another one. */
export interface RetryEvent<Path extends string = string> extends CallEvent<Path> {
  /** Status of the response; undefined if there was none. */
  status: number | undefined;
  /** Error of the attempt, if there was no response. */
  error: ApiError | undefined;
  /** Milliseconds until the next attempt. */
  delay: number;
}

/** Failed call. */
export interface FailureEvent<Path extends string = string> extends CallEvent<Path> {
  error: ApiError;
}

/**
 * Functions that are called during each call of a client, for logs, metrics and tracing. Promises that they return are
 * awaited. If one fails, the call ends with an `ApiError` of kind `hook`.
 * @typeParam Path paths of the contract
 */
export interface Hooks<Path extends string = string> {
  /** Called before each attempt. */
  onRequest?: ((event: RequestEvent<Path>) => unknown) | undefined;
  /** Called for the response of each attempt, error responses included. */
  onResponse?: ((event: ResponseEvent<Path>) => unknown) | undefined;
  /** Called before the wait for the next attempt. */
  onRetry?: ((event: RetryEvent<Path>) => unknown) | undefined;
  /** Called once for each call that fails, with the error that it returns or throws. */
  onError?: ((event: FailureEvent<Path>) => unknown) | undefined;
}
