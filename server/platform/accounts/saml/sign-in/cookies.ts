import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { cookiesOf } from '../../../../contract/request/credentials.ts';
import { type CreatedSession, SESSION_COOKIE } from '../../../../identity/sessions.ts';
import { SAML_REQUEST_LIFETIME_MS } from '../requests.ts';

/** Name of the cookie that binds a pending sign-in to the browser that started it. */
const BROWSER_COOKIE = 'colophon_sign_in';
const BROWSER_SECRET = /^[\w-]{43}$/;

/** Returns the secret of the session cookie of a request. */
export const sessionSecretOf = (req: Request): string | undefined => cookieOf(req, SESSION_COOKIE);

/** Returns the secret of the browser that started a sign-in. */
export const browserSecretOf = (req: Request): string | undefined => cookieOf(req, BROWSER_COOKIE);

function cookieOf({ headers }: Request, name: string): string | undefined {
  return cookiesOf(headers.cookie)[name];
}

/** Sets the session cookie. Scripts cannot read it, and other sites cannot send it with requests that change data. */
export function setSessionCookie(
  res: Response,
  { secret, expiresAt }: CreatedSession,
  secure: boolean,
): void {
  res.cookie(SESSION_COOKIE, secret, { ...sessionCookie(secure), expires: expiresAt });
}

/** Removes the session cookie. */
export function clearSessionCookie(res: Response, secure: boolean): void {
  res.clearCookie(SESSION_COOKIE, sessionCookie(secure));
}

const sessionCookie = (secure: boolean) => ({ httpOnly: true, sameSite: 'lax', secure, path: '/' }) as const;

/**
 * Sets the cookie that binds a sign-in to the browser, or extends it, since several sign-ins can be pending. The form of
 * the identity provider must send it, which browsers only permit for secure cookies.
 *
 * @param path path of the service URLs
 */
export function setBrowserCookie(req: Request, res: Response, path: string): string {
  const existing = browserSecretOf(req);
  const isValid = existing !== undefined && BROWSER_SECRET.test(existing);
  const secret = isValid ? existing : randomBytes(32).toString('base64url');
  res.cookie(BROWSER_COOKIE, secret, {
    httpOnly: true,
    sameSite: 'none',
    secure: true,
    path,
    maxAge: SAML_REQUEST_LIFETIME_MS,
  });
  return secret;
}
