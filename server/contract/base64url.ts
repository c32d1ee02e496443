/**
 * Decodes base64url without padding (RFC 4648, section 5). Returns undefined for every other spelling of the same bytes:
 * with padding, other characters, or bits after the last byte. What is signed or encrypted has one spelling only.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
