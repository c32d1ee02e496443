/** Responses of integrations that visitors request, cached so that an integration is called rarely. */
import type { Log } from '../../../../database/log.ts';
import { IntegrationCallError } from '../../../integrations/calls/calls.ts';
import {
  IntegrationRejectionError,
  IntegrationResponseError,
} from '../../../integrations/calls/render-result.ts';
import type { SiteInstallation } from '../../site-integrations/find.ts';
import { SharedResults } from '../cache.ts';

/** A response with its lifetime in the cache. */
export interface CacheableResult<Value> {
  value: Value;
  lifetimeMs: number;
  /** Approximate size in bytes. */
  size: number;
}

/** Minimum lifetime of a cached response, so that many visitors cause few calls; not in development. */
export const MIN_RESPONSE_LIFETIME_MS = 10_000;
/** Maximum lifetime of a cached response. */
export const MAX_RESPONSE_LIFETIME_MS = 24 * 60 * 60 * 1000;
/** Maximum size of the cached responses of one kind. */
export const MAX_CACHED_INTEGRATION_RESPONSE_BYTES = 16_777_216;

/** Creates a cache of responses. */
export const createResponseCache = <Value>(): SharedResults<CacheableResult<Value>> =>
  new SharedResults<CacheableResult<Value>>(
    { name: 'site-integration-responses', maxSize: MAX_CACHED_INTEGRATION_RESPONSE_BYTES },
    ({ size }) => size,
    ({ lifetimeMs }) => lifetimeMs,
  );

/** Returns the lifetime of a cached response, from the lifetime that its integration requests. */
export const lifetimeOf = (
  maxAgeSeconds: number,
  { isInDevelopment }: { isInDevelopment: boolean },
): number =>
  isInDevelopment
    ? 0
    : Math.min(MAX_RESPONSE_LIFETIME_MS, Math.max(MIN_RESPONSE_LIFETIME_MS, maxAgeSeconds * 1000));

/** There is no response. The status is that of the response to the visitor. */
export interface Failure {
  failure: number;
  /** Text of the script for the visitor. */
  message?: string;
}

/** Logs the failure of an integration, which is remembered for a short time. Rethrows any other error. */
export function failureOf(
  { log }: { log: Log },
  { integration, installation, isInDevelopment }: SiteInstallation,
  error: unknown,
): CacheableResult<Failure> {
  if (!(error instanceof IntegrationCallError || error instanceof IntegrationResponseError)) {
    throw error;
  }
  log.warn({ err: error, integration, installation }, 'an integration of a site failed');
  const isLate = error instanceof IntegrationCallError && error.reason === 'timeout';
  const value =
    error instanceof IntegrationRejectionError
      ? { failure: error.status, message: error.message }
      : { failure: isLate ? 504 : 502 };
  return {
    value,
    lifetimeMs: isInDevelopment ? 0 : MIN_RESPONSE_LIFETIME_MS,
    size: 0,
  };
}
