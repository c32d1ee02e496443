import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long a signed address works at least, in milliseconds, and at most twice as long. */
export const LINK_LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * When an address that is given out now ends, in milliseconds since 1970: the same for all that are given out within
 * one lifetime, so that what was fetched from one of them is still cached for the next.
 */
export function linkExpiry(now: Date, lifetimeMs: number = LINK_LIFETIME_MS): number {
  return (Math.floor(now.getTime() / lifetimeMs) + 2) * lifetimeMs;
}

/**
 * Signs an address that works for whoever holds it: the signature stands for the right to what it names.
 *
 * @param parts what the address names, in a fixed order
 */
export function signLink(secretKey: string, parts: readonly string[]): string {
  return createHmac('sha256', secretKey)
    .update(JSON.stringify(['link', ...parts]))
    .digest('base64url');
}

/** Whether `signature` is what {@link signLink} made of these parts. */
export function isSigned(secretKey: string, parts: readonly string[], signature: string): boolean {
  const [expected, given] = [Buffer.from(signLink(secretKey, parts)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
