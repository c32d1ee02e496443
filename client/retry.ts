import { readRetryAfter } from './retry-after.ts';
import type { Runtime } from './runtime.ts';

/** How often and how patiently a call is tried again. */
export interface RetryOptions {
  /** The most times a call is tried again after its first attempt. Default 2; 0 turns retries off. */
  limit?: number | undefined;

  /** The back-off before the first retry in milliseconds; it doubles with each further one. Default 250. */
  delay?: number | undefined;

  /** The longest back-off in milliseconds. Default 10,000. */
  maxDelay?: number | undefined;

  /**
   * The longest `Retry-After` in milliseconds that is waited for. Default 60,000. When the server asks for more, its
   * answer is handed over at once, because coming back earlier than asked is of no use.
   */
  maxRetryAfter?: number | undefined;
}

/** `RetryOptions` with every value settled. */
export type RetryPolicy = Record<keyof RetryOptions, number>;

const defaults: RetryPolicy = { limit: 2, delay: 250, maxDelay: 10_000, maxRetryAfter: 60_000 };

/** Asking these twice does the same as asking once (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/** Failures that tend to pass by themselves. */
const passing = new Set([429, 502, 503, 504]);

/** With `Retry-After`, these say that the request was turned away before it did anything. */
const turnedAway = new Set([429, 503]);

/**
 * Settles the values of a retry option.
 * @param option how many retries, or how in detail
 * @param base what holds where the option is silent
 * @throws RangeError when a value is not a number from 0 up
 */
export function readRetryPolicy(
  option: number | RetryOptions | undefined,
  base: RetryPolicy = defaults,
): RetryPolicy {
  const given = typeof option === 'number' ? { limit: option } : (option ?? {});
  const policy = { ...base };
  for (const name of ['limit', 'delay', 'maxDelay', 'maxRetryAfter'] as const) {
    const value = given[name];
    if (value === undefined) {
      continue;
    }
    if (!(value >= 0)) {
      throw new RangeError(`retries.${name} is ${value}, but it counts up from 0: pass 0 or more.`);
    }
    policy[name] = value;
  }
  return policy;
}

/**
 * Decides whether a call is tried again, and when.
 *
 * Idempotent methods are tried again after a failure of the network and after 429, 502, 503 and 504; every method
 * after a 429 or 503 that carries `Retry-After`, since the server did nothing then.
 * @param policy how often and how patiently
 * @param method the request's method, in capitals
 * @param attempt how many attempts were made, from 1
 * @param response what the server answered; undefined when there was no answer
 * @returns milliseconds to wait, or undefined when it is not tried again
 */
export function waitBeforeRetry(
  policy: RetryPolicy,
  method: string,
  attempt: number,
  response: Response | undefined,
  runtime: Runtime,
): number | undefined {
  if (attempt > policy.limit || (response !== undefined && !passing.has(response.status))) {
    return undefined;
  }
  const backOff = Math.min(policy.delay * 2 ** (attempt - 1), policy.maxDelay);
  const asked =
    response !== undefined && turnedAway.has(response.status)
      ? readRetryAfter(response.headers.get('Retry-After'), runtime.now())
      : undefined;
  if (asked !== undefined) {
    // The jitter comes on top: everyone who was turned away with the same header would else come back at once.
    return asked > policy.maxRetryAfter ? undefined : asked + runtime.random() * policy.delay;
  }
  return idempotent.has(method) ? backOff * (0.5 + runtime.random() / 2) : undefined;
}
