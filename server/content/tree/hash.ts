import { hash } from 'node:crypto';

/**
 * Returns the content address of a text or bytes: SHA-256 of its UTF-8 text or its bytes, in base64url (43 characters).
 */
export function hashOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}

/** Returns the SHA-256 of a key as 64 hexadecimal digits: its path in a trie, one digit per level. */
export function keyDigits(key: string): string {
  return hash('sha256', key, 'hex');
}

/**
 * Converts text to a form that every database engine stores unchanged: no lone surrogates, no NUL (CommonMark, section
 * 2.3).
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
