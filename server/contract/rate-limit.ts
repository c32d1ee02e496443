import { hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { addressKey, callerAddress } from './address.ts';
import { ContractError, tooManyRequests } from './errors.ts';
import { type Budget, RequestCounts, type SharedCounts, WINDOW_MS } from './request-counts.ts';

/** How many requests of its address a credential counts for that is not known to be good. */
export const FAILED_CREDENTIAL_COST = 10;

/** How many credentials are remembered as good: they are not held up when others fail at the same address. */
export const MAX_KNOWN_CREDENTIALS = 10_000;

export interface RateLimitOptions {
  /** Requests per minute, of a caller and of an address. */
  perMinute: number;
  /** The time now, in milliseconds. */
  now?: () => number;
  /** What other processes count, where there are several. */
  shared?: SharedCounts | undefined;
}

/**
 * Lets so many requests a minute through, of each caller wherever they come from, and of each address that sends
 * requests without a good credential. Each response carries `RateLimit` (draft-ietf-httpapi-ratelimit-headers-08)
 * and `X-RateLimit-*` of the budget that its request was counted by.
 */
export class RateLimit {
  readonly #counts: RequestCounts;
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN_CREDENTIALS });

  constructor({ perMinute, now, shared }: RateLimitOptions) {
    this.#counts = new RequestCounts(perMinute, { ...(now && { now }), ...(shared && { shared }) });
  }

  /**
   * Counts a request without a good credential by its address.
   *
   * @throws ContractError 429
   */
  async countAddress(req: Request, res: Response): Promise<void> {
    await this.#count(`address ${addressKey(callerAddress(req))}`, 1, res);
  }

  /**
   * Runs what finds a caller by a credential. One that is not known to be good is counted by its address first, and
   * given back if it is: whoever tries many is held up before they are looked up, however many they send at once.
   *
   * @param authenticate throws a ContractError 401 for a credential that is not good
   * @throws ContractError 429; what `authenticate` throws
   */
  async authenticate<Context>(
    credential: string,
    req: Request,
    res: Response,
    authenticate: () => Promise<Context>,
  ): Promise<Context> {
    const id = hash('sha256', credential, 'base64url');
    const isKnown = this.#known.get(id) === true;
    const address = `address ${addressKey(callerAddress(req))}`;
    if (!isKnown) await this.#count(address, FAILED_CREDENTIAL_COST, res);
    try {
      const context = await authenticate();
      this.#known.set(id, true);
      if (!isKnown) this.#counts.giveBack(address, FAILED_CREDENTIAL_COST);
      return context;
    } catch (error) {
      if (error instanceof ContractError && error.status === 401) this.#known.delete(id);
      else if (!isKnown) this.#counts.giveBack(address, FAILED_CREDENTIAL_COST);
      throw error;
    }
  }

  /**
   * Counts a request of a caller who was found.
   *
   * @throws ContractError 429
   */
  async countCaller(key: string, res: Response): Promise<void> {
    await this.#count(`caller ${key}`, 1, res);
  }

  /** Counts every request that comes by, by its address. */
  byAddress(): RequestHandler {
    return async (req, res, next) => {
      await this.countAddress(req, res);
      next();
    };
  }

  async #count(key: string, cost: number, res: Response): Promise<void> {
    const budget = await this.#counts.take(key, cost);
    setHeaders(res, budget);
    if (budget.isExceeded) throw tooManyRequests(budget.resetSeconds);
  }
}

const NAME = '"requests-per-minute"';

function setHeaders(res: Response, { limit, remaining, resetSeconds, resetAt }: Budget): void {
  res.setHeader('RateLimit-Policy', `${NAME}; q=${limit}; w=${WINDOW_MS / 1000}`);
  res.setHeader('RateLimit', `${NAME}; r=${remaining}; t=${resetSeconds}`);
  res.setHeader('X-RateLimit-Limit', String(limit));
  res.setHeader('X-RateLimit-Remaining', String(remaining));
  res.setHeader('X-RateLimit-Reset', String(resetAt));
}
