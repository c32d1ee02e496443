import { parseCookie } from 'cookie';
import type { Request } from 'express';

/** The credential of HTTP Basic authentication (RFC 7617). */
export interface BasicCredential {
  username: string;
  password: string;
}

/** The parts of an OpenAPI security scheme that the server runtime reads. */
export interface SecurityScheme {
  type: string;
  /** Of `http`: the authentication scheme, in any case. */
  scheme?: string;
  /** Of `apiKey`. */
  in?: string;
  /** Of `apiKey`: the name of the header, query parameter or cookie. */
  name?: string;
}

/** A credential that a request contains. */
export interface Credential {
  /** The credential as sent, which identifies it. */
  id: string;
  /** Undefined if it is malformed. */
  value: string | BasicCredential | undefined;
}

/** Reads the credential of one security scheme. */
export interface CredentialReader {
  kind: 'bearer' | 'basic' | 'apiKey' | 'http';
  /** Returns undefined if the request has no credential of this scheme. */
  read: (req: Request, query: string) => Credential | undefined;
  usage: string;
  challenge: string;
}

/**
 * Creates the reader of a security scheme.
 *
 * @param realm the protection space that challenges name
 * @throws Error if the scheme is not supported
 */
export function credentialReader(scheme: SecurityScheme, realm: string): CredentialReader {
  const { type, in: location, name = '' } = scheme;
  const http = scheme.scheme?.toLowerCase();
  if (type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && http === 'bearer')) {
    return {
      kind: 'bearer',
      read: (req) => readAuthorization(req, BEARER, (token) => token),
      usage: 'Authorization: Bearer <token>',
      challenge: 'Bearer',
    };
  }
  if (type === 'http' && http === 'basic') {
    return {
      kind: 'basic',
      read: (req) => readAuthorization(req, BASIC, decodeBasic),
      usage: 'Authorization: Basic <credentials>',
      challenge: `Basic realm="${quoted(realm)}", charset="UTF-8"`,
    };
  }
  if (type === 'http' && AUTHENTICATION_SCHEME.test(scheme.scheme ?? '')) {
    return otherScheme(scheme.scheme ?? '');
  }
  const read = type === 'apiKey' && location !== undefined ? KEY_READERS[location] : undefined;
  if (!read) {
    throw new Error(
      `Security schemes of type ${[type, scheme.scheme, location].filter(Boolean).join(' ')} are not supported.`,
    );
  }
  return {
    kind: 'apiKey',
    read: (req, query) => {
      const key = read(req, query, name);
      return key === undefined ? undefined : { id: key, value: key === '' ? undefined : key };
    },
    usage: `the ${KEY_PLACES[location ?? '']} ${name}`,
    // Not registered, but a 401 must contain a challenge (RFC 9110, section 15.5.2).
    challenge: `ApiKey in="${location}", name="${quoted(name)}"`,
  };
}

/** A name of an authentication scheme (RFC 9110, section 11.1). */
const AUTHENTICATION_SCHEME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Reads the credentials of an authentication scheme that the server runtime does not know, such as `Digest`. */
function otherScheme(scheme: string): CredentialReader {
  const prefix = `${scheme.toLowerCase()} `;
  return {
    kind: 'http',
    read: ({ headers: { authorization = '' } }) => {
      if (!`${authorization.toLowerCase()} `.startsWith(prefix)) {
        return undefined;
      }
      const id = authorization.slice(prefix.length).trim();
      return { id, value: id === '' ? undefined : id };
    },
    usage: `Authorization: ${scheme} <credentials>`,
    challenge: scheme,
  };
}

const BEARER = /^Bearer(?: +(.*))?$/i;
const BASIC = /^Basic(?: +(.*))?$/i;

function readAuthorization(
  { headers: { authorization } }: Request,
  pattern: RegExp,
  parse: (credential: string) => Credential['value'],
): Credential | undefined {
  const match = authorization === undefined ? null : pattern.exec(authorization);
  if (!match) {
    return undefined;
  }
  const id = match[1] ?? '';
  return { id, value: /^\S+$/.test(id) ? parse(id) : undefined };
}

function decodeBasic(credential: string): BasicCredential | undefined {
  const bytes = Buffer.from(credential, 'base64');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const colon = text.indexOf(':');
    return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    return undefined;
  }
}

const KEY_PLACES: Readonly<Record<string, string>> = {
  header: 'header',
  query: 'query parameter',
  cookie: 'cookie',
};

const KEY_READERS: Readonly<
  Record<string, (req: Request, query: string, name: string) => string | undefined>
> = {
  header: ({ headers }, _query, name) => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? '' : value;
  },
  query: (_req, query, name) => {
    const keys = new URLSearchParams(query).getAll(name);
    // Of several keys, it is not clear which is meant.
    return keys.length > 1 ? '' : keys[0];
  },
  cookie: ({ headers }, _query, name) => cookiesOf(headers.cookie)[name],
};

/** Maximum length of a `Cookie` header. Longer ones are ignored: parsing them would cost more than the request. */
export const MAX_COOKIE_HEADER_CHARACTERS = 32_768;

/** Parses a `Cookie` header (RFC 6265, section 4.2). */
export const cookiesOf = (header: string | undefined) =>
  header === undefined || header.length > MAX_COOKIE_HEADER_CHARACTERS ? {} : parseCookie(header);

/** Escapes the text of a quoted string (RFC 9110, section 5.6.4); other characters than ASCII are not permitted in headers. */
const quoted = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '').replaceAll(/["\\]/g, '\\$&');
