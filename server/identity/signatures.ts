import { createHmac, timingSafeEqual } from 'node:crypto';

/** Minimum lifetime of a signed URL, in milliseconds; the maximum is twice as long. */
export const LINK_LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Returns when a URL that is issued now expires, in milliseconds since 1970. All URLs issued within one lifetime expire
 * together, so that a resource has the same URL, and clients can cache it.
 */
export function linkExpiry(now: Date, lifetimeMs: number = LINK_LIFETIME_MS): number {
  return (Math.floor(now.getTime() / lifetimeMs) + 2) * lifetimeMs;
}

/**
 * Signs a URL. Anyone who has the URL may use it on behalf of the caller that requested it, as long as this caller has
 * access to the resource: one of the parts identifies the caller, and each request checks the caller's access.
 *
 * @param parts the values that identify the caller and the resource, in a fixed order
 */
export function signLink(secretKey: string, parts: readonly string[]): string {
  return createHmac('sha256', secretKey)
    .update(JSON.stringify(['link', ...parts]))
    .digest('base64url');
}

/** Returns whether a signature was created by {@link signLink} for these parts. */
export function isSigned(secretKey: string, parts: readonly string[], signature: string): boolean {
  const [expected, received] = [Buffer.from(signLink(secretKey, parts)), Buffer.from(signature)];
  return expected.length === received.length && timingSafeEqual(expected, received);
}

/**
 * Reads the time of expiry in the query of a signed URL. Returns `NaN` for any other spelling of the number than the
 * signed one.
 */
export function readExpiry(value: unknown): number {
  return typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : Number.NaN;
}
