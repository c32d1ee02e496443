import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { decodeBase64url } from '../contract/base64url.ts';
import { OutgoingError } from './errors.ts';

/** The decoded user information of a URL (RFC 3986, section 3.2.1). */
export interface Credentials {
  username: string;
  password: string;
}

/** A URL without credentials, and the credentials removed from it. */
export interface SplitURL {
  url: URL;
  credentials?: Credentials;
}

// Anchored at "://" and bounded, so that matching takes linear time.
const USER_INFO_PATTERN = /(:\/\/)[^\s/?#"'<>]*@/g;
const SECRET_PARAMETER_PATTERN =
  /([?&;][^=&\s]{0,64}(?:token|secret|password|key|auth|signature)[^=&\s]{0,64}=)[^&#\s"'<>]+/gi;
const AUTHORIZATION_PATTERN =
  /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer)\s{1,4})[^\s"']+/gi;

/**
 * Removes the credentials from a URL, so that it can be stored, logged and displayed. For `ssh` the user name remains:
 * it names a shared account and is not secret.
 *
 * @throws {OutgoingError} `invalid-url`. The message does not contain the URL, which may contain a password.
 */
export function splitCredentials(text: string): SplitURL {
  const url = URL.parse(text);
  if (url === null) {
    throw new OutgoingError(
      'invalid-url',
      'The URL is invalid. Use the form https://host/path, and percent-encode reserved characters in a user name or password.',
    );
  }
  const credentials = { username: decode(url.username), password: decode(url.password) };
  if (url.protocol !== 'ssh:') {
    url.username = '';
  }
  url.password = '';
  const hasCredentials =
    credentials.password !== '' || (url.protocol !== 'ssh:' && credentials.username !== '');
  return hasCredentials ? { url, credentials } : { url };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the value of an `Authorization` header for credentials (RFC 7617, in UTF-8). */
export function basicAuthorization(credentials: Credentials): string {
  return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
}

/**
 * Redacts secrets in a text: user information and secret query parameters of URLs, authorization values, and
 * `credentials` in each of their encodings.
 */
export function redact(text: string, credentials?: Credentials): string {
  let result = text
    .replace(USER_INFO_PATTERN, '$1***@')
    .replace(SECRET_PARAMETER_PATTERN, '$1***')
    .replace(AUTHORIZATION_PATTERN, '$1***');
  if (credentials === undefined) {
    return result;
  }
  const header = basicAuthorization(credentials).slice('Basic '.length);
  // A user name without a password is a token. With a password it may be an ordinary word.
  const secret = credentials.password === '' ? credentials.username : credentials.password;
  for (const encoded of [header, secret, encodeURIComponent(secret)]) {
    if (encoded !== '') {
      result = result.replaceAll(encoded, '***');
    }
  }
  return result;
}

const SEAL_VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives the 32-byte key of {@link sealSecret} from the configured secret (HKDF-SHA-256, RFC 5869). */
export function sealingKey(secret: string | Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'colophon sealed secret', 32));
}

/**
 * Encrypts a secret for storage, such as the credentials in a job's payload (AES-256-GCM with a random nonce).
 * Decryption requires the same `context`, so that a sealed secret is useless in another row.
 */
export function sealSecret(secret: string, key: Uint8Array, context = ''): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `${SEAL_VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')}`;
}

/**
 * Decrypts a secret sealed by {@link sealSecret}.
 *
 * @throws {Error} if the text was modified, or sealed with another key or context
 */
export function openSecret(sealed: string, key: Uint8Array, context = ''): string {
  const [version, body, ...rest] = sealed.split('.');
  const bytes = rest.length === 0 ? decodeBase64url(body ?? '') : undefined;
  if (version === SEAL_VERSION && bytes && bytes.length >= NONCE_BYTES + TAG_BYTES) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const encrypted = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    } catch {
      // The cause has no further information.
    }
  }
  throw new Error(
    'A stored secret cannot be decrypted: it was modified, or COLOPHON_SECRET_KEY has changed. Enter the secret again.',
  );
}
