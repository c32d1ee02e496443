/** Cookies of the integrations that authenticate visitors, which only their endpoints receive. */
import { parseSetCookie, stringifySetCookie } from 'cookie';
import { MAX_COOKIE_HEADER_CHARACTERS } from '../../../contract/request/credentials.ts';

/** Maximum number of cookies that an integration sets with a response, or receives with a request. */
export const MAX_INTEGRATION_COOKIES = 10;
/** Maximum length of a cookie of an integration, without its attributes: browsers drop longer ones. */
export const MAX_INTEGRATION_COOKIE_CHARACTERS = 4096;
/** Maximum lifetime of a cookie of an integration. */
export const MAX_INTEGRATION_COOKIE_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** Names of the cookies of this service, which contain credentials. */
const OWN_COOKIE = /^colophon[-_]/;

/** Returns whether a cookie is named like those of this service, in any case. */
export const isOwnCookie = (name: string): boolean => OWN_COOKIE.test(name.toLowerCase());

/** The endpoint of an integration, and the time. */
interface CookieScope {
  /** URL of the endpoint. The cookies are limited to it. */
  endpoint: string;
  now: Date;
}

/**
 * Returns the cookies that a response of an integration sets, limited to its endpoint: scripts of pages cannot read them,
 * and no other address receives them. Cookies that are too long, malformed, or named like those of this service are
 * omitted.
 */
export function integrationCookies(headers: Headers, scope: CookieScope): string[] {
  return headers
    .getSetCookie()
    .slice(0, MAX_INTEGRATION_COOKIES)
    .flatMap((header) => scopedCookie(header, scope) ?? []);
}

function scopedCookie(header: string, { endpoint, now }: CookieScope): string | undefined {
  // Attributes are short: the limit of the header bounds the work of parsing it.
  if (header.length > 2 * MAX_INTEGRATION_COOKIE_CHARACTERS) {
    return undefined;
  }
  const { name, value = '', ...attributes } = parseSetCookie(header, { decode: asIs });
  if (isOwnCookie(name) || name.length + value.length > MAX_INTEGRATION_COOKIE_CHARACTERS) {
    return undefined;
  }
  const { protocol, pathname } = new URL(endpoint);
  const maxAge = maxAgeOf(attributes, now);
  try {
    return stringifySetCookie(
      {
        name,
        value,
        path: pathname,
        httpOnly: true,
        secure: attributes.secure === true || protocol === 'https:',
        // Browsers accept cookies for requests of other sites only if they are secure.
        sameSite: attributes.sameSite ?? 'lax',
        ...(maxAge !== undefined && { maxAge }),
      },
      { encode: asIs },
    );
  } catch (error) {
    if (error instanceof TypeError) {
      return undefined;
    }
    throw error;
  }
}

/** Returns the lifetime of a cookie in seconds; undefined if it ends with the session of the browser. */
function maxAgeOf({ maxAge, expires }: { maxAge?: number; expires?: Date }, now: Date): number | undefined {
  const seconds = maxAge ?? (expires && (expires.getTime() - now.getTime()) / 1000);
  return seconds && Math.floor(Math.min(Math.max(seconds, 0), MAX_INTEGRATION_COOKIE_LIFETIME_MS / 1000));
}

/**
 * Returns the cookies of a request to the endpoint of an integration, without the cookies of this service; undefined if
 * there are none. Of several cookies with one name, only the first belongs to the endpoint: browsers send longer paths
 * first.
 */
export function cookiesForIntegration(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_COOKIE_HEADER_CHARACTERS) {
    return undefined;
  }
  const cookies = new Map<string, string>();
  for (const pair of header.split(';')) {
    const name = pair.slice(0, Math.max(pair.indexOf('='), 0)).trim();
    const isAccepted =
      name !== '' &&
      !isOwnCookie(name) &&
      !cookies.has(name) &&
      pair.length <= MAX_INTEGRATION_COOKIE_CHARACTERS + 2;
    if (isAccepted && cookies.size < MAX_INTEGRATION_COOKIES) {
      cookies.set(name, pair.trim());
    }
  }
  return cookies.size === 0 ? undefined : [...cookies.values()].join('; ');
}

/** Values are forwarded as the integration encoded them. */
const asIs = (text: string): string => text;
