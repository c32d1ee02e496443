import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { OutgoingError } from './errors.ts';

/** What a URL's user part says (RFC 3986, section 3.2.1), decoded. */
export interface Credentials {
  username: string;
  password: string;
}

/** A URL that holds no credentials, and the credentials that it held. */
export interface SplitURL {
  url: URL;
  credentials?: Credentials;
}

// Anchored at "://" and bounded, so that a long text takes time in proportion to its length.
const userInfoPattern = /(:\/\/)[^\s/?#"'<>]*@/g;
const secretParameterPattern =
  /([?&;][^=&\s]{0,64}(?:token|secret|password|key|auth|signature)[^=&\s]{0,64}=)[^&#\s"'<>]+/gi;
const authorizationPattern = /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer)\s{1,4})[^\s"']+/gi;

/**
 * Splits the credentials off a URL, so that the rest of the program can hold, log and show it. For `ssh` the
 * user name stays: it names an account that everybody shares, and is no secret.
 *
 * @throws {OutgoingError} `invalid-url`; the message does not repeat the text, which may hold a password.
 */
export function splitCredentials(text: string): SplitURL {
  const url = URL.parse(text);
  if (url === null) {
    throw new OutgoingError(
      'invalid-url',
      'The URL cannot be read. Write it as in https://host/path, with reserved characters in a user name or password percent-encoded.',
    );
  }
  const credentials = { username: decode(url.username), password: decode(url.password) };
  if (url.protocol !== 'ssh:') url.username = '';
  url.password = '';
  const found = credentials.password !== '' || (url.protocol !== 'ssh:' && credentials.username !== '');
  return found ? { url, credentials } : { url };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value of an `Authorization` header for the credentials (RFC 7617, in UTF-8). */
export function basicAuthorization(credentials: Credentials): string {
  return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
}

/**
 * Takes the secrets out of any text: user parts and secret-looking query parameters of URLs, authorization
 * values, and the given credentials in every form they may have been written in.
 */
export function redact(text: string, credentials?: Credentials): string {
  let result = text
    .replace(userInfoPattern, '$1***@')
    .replace(secretParameterPattern, '$1***')
    .replace(authorizationPattern, '$1***');
  if (credentials === undefined) return result;
  const header = basicAuthorization(credentials).slice('Basic '.length);
  // A user name without a password is a token; beside a password it is a name that may stand anywhere.
  const secret = credentials.password === '' ? credentials.username : credentials.password;
  for (const form of [header, secret, encodeURIComponent(secret)]) {
    if (form !== '') result = result.replaceAll(form, '***');
  }
  return result;
}

const sealVersion = 'v1';
const nonceLength = 12;
const tagLength = 16;

/** Makes the 32-byte key for {@link sealSecret} from the configured secret (HKDF-SHA-256, RFC 5869). */
export function sealingKey(secret: string | Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'colophon sealed secret', 32));
}

/**
 * Encrypts a secret that has to be stored, such as the credentials in a job's payload (AES-256-GCM, a fresh
 * nonce each time). `context` says what it belongs to; it opens only under the same one, so that a sealed
 * text copied to another row is of no use.
 */
export function sealSecret(secret: string, key: Uint8Array, context = ''): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
  cipher.setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `${sealVersion}.${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')}`;
}

/**
 * Decrypts what {@link sealSecret} made.
 *
 * @throws {Error} when the text was changed, or sealed with another key or for another context.
 */
export function openSecret(sealed: string, key: Uint8Array, context = ''): string {
  const [version, body] = sealed.split('.');
  const bytes = Buffer.from(body ?? '', 'base64url');
  if (version === sealVersion && bytes.length >= nonceLength + tagLength) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength), {
        authTagLength: tagLength,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
      const encrypted = bytes.subarray(nonceLength + tagLength);
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    } catch {
      // The cause says nothing more than that the tag differs.
    }
  }
  throw new Error(
    'A stored secret cannot be opened: it was changed, or sealed with another COLOPHON_SECRET_KEY. Enter it again.',
  );
}
