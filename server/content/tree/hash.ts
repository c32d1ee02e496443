import { hash } from 'node:crypto';

/** What content is addressed by: SHA-256 of its UTF-8 text or its bytes, in base64url (43 characters). */
export function hashOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}

/** SHA-256 of a key as 64 hexadecimal digits: the way to it through a trie, one digit a level. */
export function wayTo(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Text in the form that every engine keeps unchanged: no lone surrogates, no NUL (CommonMark, section 2.3). */
export function keepableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
