import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { tooManyRequests } from './errors.ts';

/**
 * Lets so many requests a minute through, per token, or per address where there is none. Every answer
 * carries `RateLimit` (draft-ietf-httpapi-ratelimit-headers-08) and `X-RateLimit-*`.
 */
export function limitRate(perMinute: number): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    identifier: 'requests-per-minute',
    keyGenerator: ({ headers, ip = '' }) =>
      headers.authorization
        ? createHash('sha256').update(headers.authorization).digest('base64url')
        : ipKeyGenerator(ip),
    handler: (_req, res, next) => {
      const seconds = Number(res.getHeader('Retry-After') ?? 60);
      next(tooManyRequests(seconds));
    },
    validate: { trustProxy: false, xForwardedForHeader: false },
  });
}
