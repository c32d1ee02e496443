import { createHmac, timingSafeEqual } from 'node:crypto';

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
