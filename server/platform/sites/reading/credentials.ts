/**
 * The credentials of visitors: in the address once, and from then on in cookies of the site. The cookie of a visitor
 * token contains the secret of a session, so its length does not depend on the token.
 */
import { stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import { cookiesOf } from '../../../contract/request/credentials.ts';
import { SESSION_COOKIE } from '../../../identity/sessions.ts';
import type { VisitorSession } from '../visitors/sessions.ts';
import { MAX_VISITOR_TOKEN_CHARACTERS } from '../visitors/token-form.ts';
import { TOKEN_PARAMETERS, type VisitorCredentials } from '../visitors/visitor.ts';

/** Cookies that remember credentials. */
const REMEMBERED = {
  shareKey: 'colophon-share-key',
  session: 'colophon-visitor-session',
} as const;
/** Query parameters with credentials. */
const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set(['shareKey', ...TOKEN_PARAMETERS]);
/** Query parameters `visitor.<claim>` with claims that the browser states about itself, and their cookie. */
const CLAIM_PREFIX = 'visitor.';
const CLAIMS_COOKIE = 'colophon-visitor-claims';
/** Maximum number of claims that a browser states. */
const MAX_UNSIGNED_CLAIMS = 50;
/** Time that a browser remembers share keys and claims. */
const REMEMBERED_SECONDS = 30 * 24 * 60 * 60;

type Query = URLSearchParams;

/** What a visitor presents in a request. */
export interface RequestCredentials extends VisitorCredentials {
  /** Secret of the session that remembers a visitor token. */
  session?: string | undefined;
}

/** Returns whether a request reads, and has no session, which its visitor may just have created. */
export function isWithoutSession({ method, headers }: Request): boolean {
  const cookies = cookiesOf(headers.cookie);
  const hasSession = [REMEMBERED.session, SESSION_COOKIE].some((name) => cookies[name] !== undefined);
  return (method === 'GET' || method === 'HEAD') && !hasSession;
}

/** Reads the credentials of a request. Those in the address take precedence. */
export function readCredentials(req: Request, query: Query): RequestCredentials {
  const cookies = cookiesOf(req.headers.cookie);
  const [, bearer] = /^Bearer ([\w.~+/=-]+)$/i.exec(req.headers.authorization ?? '') ?? [];
  const shareKey = limited(query.get('shareKey') ?? cookies[REMEMBERED.shareKey]);
  // A token that is too long is not accepted: it is not ignored, so that its visitor is informed.
  const visitorToken = bearer ?? tokenIn(query);
  const session = cookies[REMEMBERED.session];
  const unsignedClaims = { ...readClaims(cookies[CLAIMS_COOKIE]), ...claimsIn(query) };
  return {
    ...(shareKey !== undefined && { shareKey }),
    ...(visitorToken !== undefined && { visitorToken }),
    ...(session !== undefined && { session }),
    ...(Object.keys(unsignedClaims).length > 0 && { unsignedClaims }),
  };
}

/** Returns whether an address contains credentials. */
export const hasCredentials = (query: Query): boolean => [...query.keys()].some(isCredential);

/** Returns the visitor token in an address. */
export const tokenIn = (query: Query): string | undefined =>
  TOKEN_PARAMETERS.map((name) => query.get(name)).find((token) => token !== null) ?? undefined;

/** Remembers the credentials in the address for the site. */
export function rememberCredentials(
  res: Response,
  query: Query,
  credentials: VisitorCredentials,
  session: VisitorSession | undefined,
  place: CookiePlace,
): void {
  const options = cookieOptions(place);
  const remember = (name: string, value: string) =>
    res.append('Set-Cookie', stringifySetCookie({ ...options, name, value, maxAge: REMEMBERED_SECONDS }));
  if (query.has('shareKey') && credentials.shareKey !== undefined) {
    remember(REMEMBERED.shareKey, credentials.shareKey);
  }
  if (session) {
    const { secret: value, expiresAt: expires } = session;
    res.append('Set-Cookie', stringifySetCookie({ ...options, name: REMEMBERED.session, value, expires }));
  }
  if ([...query.keys()].some((name) => name.startsWith(CLAIM_PREFIX))) {
    remember(CLAIMS_COOKIE, JSON.stringify(credentials.unsignedClaims ?? {}));
  }
}

/** Returns a path with a query, without the credentials in the query. */
export function withoutCredentials(path: string, query: Query): string {
  const remaining = new URLSearchParams([...query].filter(([name]) => !isCredential(name)));
  return remaining.size === 0 ? path : `${path}?${remaining}`;
}

/** Removes the cookie of the session that remembers a visitor token. */
export function forgetSession(res: Response, place: CookiePlace): void {
  res.append(
    'Set-Cookie',
    stringifySetCookie({ ...cookieOptions(place), name: REMEMBERED.session, value: '', maxAge: 0 }),
  );
}

/** Where the cookies of a site apply. */
interface CookiePlace {
  /** Path of the URL of the site, without a slash at the end. */
  base: string;
  isSecure: boolean;
}

const cookieOptions = ({ base, isSecure }: CookiePlace) =>
  ({ path: base === '' ? '/' : base, httpOnly: true, sameSite: 'lax', secure: isSecure }) as const;

const isCredential = (name: string): boolean =>
  CREDENTIAL_PARAMETERS.has(name) || name.startsWith(CLAIM_PREFIX);

/** Ignores credentials that are longer than visitor tokens, which are the longest. */
const limited = (text: string | undefined): string | undefined =>
  text === undefined || text.length > MAX_VISITOR_TOKEN_CHARACTERS ? undefined : text;

/** Claims are booleans: the adaptive schema allows no others. */
function claimsIn(query: Query): Record<string, boolean> {
  const claims = [...query]
    .filter(([name, value]) => name.startsWith(CLAIM_PREFIX) && (value === 'true' || value === 'false'))
    .map(([name, value]) => [name.slice(CLAIM_PREFIX.length), value === 'true'] as const);
  return Object.fromEntries(claims.slice(0, MAX_UNSIGNED_CLAIMS));
}

function readClaims(cookie: string | undefined): Record<string, boolean> {
  try {
    const claims: unknown = JSON.parse(limited(cookie) ?? '{}');
    const entries = typeof claims === 'object' && claims !== null ? Object.entries(claims) : [];
    return Object.fromEntries(
      entries.filter(([, value]) => typeof value === 'boolean').slice(0, MAX_UNSIGNED_CLAIMS),
    );
  } catch {
    return {};
  }
}
