import { hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { ContractError, tooManyRequests } from '../errors.ts';
import { addressKey, callerAddress } from '../request/address.ts';
import { type Budget, RequestCounts, type SharedCounts, WINDOW_MS } from './request-counts.ts';

/** Number of requests that an unverified credential counts against the limit of its address. */
export const FAILED_CREDENTIAL_COST = 10;

/** Number of verified credentials that are cached: failures of others at the same address do not affect them. */
export const MAX_VERIFIED_CREDENTIALS = 10_000;

export interface RateLimitOptions {
  /** Requests per minute, of a caller and of an address. */
  perMinute: number;
  /** Returns the current time in milliseconds. */
  now?: () => number;
  /** Counts shared with other processes, if there are several. */
  shared?: SharedCounts | undefined;
}

/**
 * Limits the requests per minute of each caller, and of each address that sends requests without a valid credential.
 * Each response has `RateLimit` headers (draft-ietf-httpapi-ratelimit-headers-08) and `X-RateLimit-*` headers of the
 * limit that its request was counted against.
 */
export class RateLimit {
  readonly #counts: RequestCounts;
  readonly #verified = new LRUCache<string, true>({ max: MAX_VERIFIED_CREDENTIALS });

  constructor({ perMinute, now, shared }: RateLimitOptions) {
    this.#counts = new RequestCounts(perMinute, { ...(now && { now }), ...(shared && { shared }) });
  }

  /**
   * Counts a request without a valid credential against the limit of its address.
   *
   * @throws ContractError 429
   */
  async countAddress(req: Request, res: Response): Promise<void> {
    await this.#count(`address ${addressKey(callerAddress(req))}`, 1, res);
  }

  /**
   * Authenticates a caller. An unverified credential is counted against its address first and refunded if it is valid,
   * so that a caller who tries many credentials is limited before they are looked up, even when sent concurrently.
   *
   * @param authenticate throws a ContractError 401 for an invalid credential
   * @throws ContractError 429; what `authenticate` throws
   */
  async authenticate<Context>(
    credential: string,
    req: Request,
    res: Response,
    authenticate: () => Promise<Context>,
  ): Promise<Context> {
    const id = hash('sha256', credential, 'base64url');
    const isVerified = this.#verified.get(id) === true;
    const address = `address ${addressKey(callerAddress(req))}`;
    if (!isVerified) {
      await this.#count(address, FAILED_CREDENTIAL_COST, res);
    }
    try {
      const context = await authenticate();
      this.#verified.set(id, true);
      if (!isVerified) {
        this.#counts.refund(address, FAILED_CREDENTIAL_COST);
      }
      return context;
    } catch (error) {
      if (error instanceof ContractError && error.status === 401) {
        this.#verified.delete(id);
      } else if (!isVerified) {
        this.#counts.refund(address, FAILED_CREDENTIAL_COST);
      }
      throw error;
    }
  }

  /**
   * Counts a request of an authenticated caller.
   *
   * @throws ContractError 429
   */
  async countCaller(key: string, res: Response): Promise<void> {
    await this.#count(`caller ${key}`, 1, res);
  }

  /** Creates a middleware that counts every request against the limit of its address. */
  byAddress(): RequestHandler {
    return async (req, res, next) => {
      await this.countAddress(req, res);
      next();
    };
  }

  async #count(key: string, cost: number, res: Response): Promise<void> {
    const budget = await this.#counts.count(key, cost);
    setHeaders(res, budget);
    if (budget.isExceeded) {
      throw tooManyRequests(budget.resetSeconds);
    }
  }
}

const POLICY_NAME = '"requests-per-minute"';

function setHeaders(res: Response, { limit, remaining, resetSeconds, resetAt }: Budget): void {
  res.setHeader('RateLimit-Policy', `${POLICY_NAME}; q=${limit}; w=${WINDOW_MS / 1000}`);
  res.setHeader('RateLimit', `${POLICY_NAME}; r=${remaining}; t=${resetSeconds}`);
  res.setHeader('X-RateLimit-Limit', String(limit));
  res.setHeader('X-RateLimit-Remaining', String(remaining));
  res.setHeader('X-RateLimit-Reset', String(resetAt));
}
