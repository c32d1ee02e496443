import { readRetryAfter } from './retry-after.ts';
import type { Runtime } from './runtime.ts';

/** Options of retries. */
export interface RetryOptions {
  /** Maximum number of retries after the first attempt. Default: 2; 0 disables retries. */
  limit?: number | undefined;

  /** Backoff before the first retry in milliseconds, doubled for each further retry. Default: 250. */
  delay?: number | undefined;

  /** Maximum backoff in milliseconds. Default: 10,000. */
  maxDelay?: number | undefined;

  /**
   * Maximum `Retry-After` to wait for, in milliseconds. Default: 60,000. If the server requests a longer wait, its
   * response is returned immediately, because an earlier retry would fail again.
   */
  maxRetryAfter?: number | undefined;
}

/** `RetryOptions` with all defaults applied. */
export type RetryPolicy = Record<keyof RetryOptions, number>;

const DEFAULT_POLICY: RetryPolicy = { limit: 2, delay: 250, maxDelay: 10_000, maxRetryAfter: 60_000 };

/** Methods of idempotent requests (RFC 9110, section 9.2.2). */
const IDEMPOTENT_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/** Header that identifies a write in all its attempts, for contracts that declare it. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** Statuses of transient failures. */
const TRANSIENT_STATUSES = new Set([429, 502, 503, 504]);

/** Statuses that, with `Retry-After`, mean that the request was rejected before it had any effect. */
const REJECTED_STATUSES = new Set([429, 503]);

/**
 * Completes a retry option.
 * @param option maximum number of retries, or detailed options
 * @param fallback values of omitted options
 * @throws RangeError when a value is not a number of at least 0
 */
export function readRetryPolicy(
  option: number | RetryOptions | undefined,
  fallback: RetryPolicy = DEFAULT_POLICY,
): RetryPolicy {
  const options = typeof option === 'number' ? { limit: option } : (option ?? {});
  const policy = { ...fallback };
  for (const name of ['limit', 'delay', 'maxDelay', 'maxRetryAfter'] as const) {
    const value = options[name];
    if (value === undefined) {
      continue;
    }
    if (!(value >= 0)) {
      throw new RangeError(`retries.${name} is ${value}, but must be at least 0.`);
    }
    policy[name] = value;
  }
  return policy;
}

/**
 * Decides whether and when a call is retried.
 *
 * Requests that are idempotent by their method, or because the server recognizes their `Idempotency-Key`, are retried
 * after a network error and after 429, 502, 503 and 504. All others are retried only after a 429 or 503 with
 * `Retry-After`, since the request had no effect then.
 * @param policy limits and delays
 * @param attempt number of attempts so far, from 1
 * @param response response of the last attempt; undefined if there was none
 * @returns milliseconds to wait, or undefined for no retry
 */
export function waitBeforeRetry(
  policy: RetryPolicy,
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  attempt: number,
  response: Response | undefined,
  runtime: Runtime,
): number | undefined {
  if (attempt > policy.limit || (response !== undefined && !TRANSIENT_STATUSES.has(response.status))) {
    return undefined;
  }
  const backoff = Math.min(policy.delay * 2 ** (attempt - 1), policy.maxDelay);
  const retryAfter =
    response !== undefined && REJECTED_STATUSES.has(response.status)
      ? readRetryAfter(response.headers.get('Retry-After'), runtime.now())
      : undefined;
  if (retryAfter !== undefined) {
    // The jitter is added on top. Otherwise all callers rejected with the same header would retry at the same time.
    return retryAfter > policy.maxRetryAfter ? undefined : retryAfter + runtime.random() * policy.delay;
  }
  const isIdempotent = IDEMPOTENT_METHODS.has(method) || headers.has(IDEMPOTENCY_KEY);
  return isIdempotent ? backoff * (0.5 + runtime.random() / 2) : undefined;
}
