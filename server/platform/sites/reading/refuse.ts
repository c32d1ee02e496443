/** Responses to visitors who are not admitted to a site. */
import type { Response } from 'express';
import { ContractError } from '../../../contract/errors.ts';
import { integrationRejected } from '../../../errors/errors.ts';
import { IntegrationRejectionError } from '../../integrations/calls/render-result.ts';
import type { SiteRow } from '../../spaces/publications/rows.ts';
import { type SiteAddress, signInUrl, siteBase } from '../../spaces/publications/urls.ts';
import { deleteVisitorSession } from '../visitors/sessions.ts';
import type { Refusal } from '../visitors/visitor.ts';
import { forgetSession, withoutCredentials } from './credentials.ts';
import {
  type AuthenticationRequest,
  requestAuthentication,
  type VisitorAuthentication,
} from './integrations/visitor-authentication.ts';
import type { ReadingServices } from './reading-site.ts';
import { redirect } from './respond.ts';
import { isSignIn, signInLinks } from './sign-in.ts';
import type { SignInView } from './views/messages.ts';

const PRIVATE = { isPublic: false, isIndexed: false };

/** What pages of errors show of a site, once the visitor may know it. */
export interface ErrorFrame extends SignInView {
  /** Path of the site's address. The assets are below it. */
  base: string;
}

/** A request of a visitor who is not admitted. */
interface RefusedRequest {
  res: Response;
  frame: ErrorFrame;
  address: SiteAddress;
  query: URLSearchParams;
  /** Encoded path that the visitor requested, below the address of the site. */
  location: string;
}

/**
 * Redirects a visitor to the sign-in page. A rejected token results in an error page instead: its issuer would issue
 * the same token again, in an endless loop.
 *
 * @throws ContractError 401 or 404, shown to the visitor as a page
 */
export async function refuse(
  services: ReadingServices,
  request: RefusedRequest,
  site: SiteRow,
  { refused, fallbackURL }: Refusal,
): Promise<void> {
  const { res, frame, location } = request;
  if (refused === 'not-found') {
    throw notAdmitted(404);
  }
  if (refused === 'token-rejected') {
    await rejectToken(services, request, site, fallbackURL);
    throw notAdmitted(401);
  }
  if (await authenticate(services, request, site)) {
    return;
  }
  if (fallbackURL === null) {
    frame.signIn = await signInLinks(services, site, location);
    throw notAdmitted(401);
  }
  const url = new URL(fallbackURL);
  url.searchParams.set('location', location);
  redirect(res, 302, url.href, PRIVATE);
}

/** Has the page of the error state that the token was rejected, and link to where the visitor signs in again. */
async function rejectToken(
  services: ReadingServices,
  { res, frame, query, location }: RefusedRequest,
  site: SiteRow,
  fallbackURL: string | null,
): Promise<void> {
  const url = siteBase(services.resourceUrls, site);
  forgetSession(res, { base: new URL(url).pathname.replace(/\/$/, ''), isSecure: url.startsWith('https:') });
  frame.isTokenRejected = true;
  // Without the token, the same address leads to where visitors sign in.
  const href = `${frame.base}${location}`.replace(/^\/{2,}/, '/');
  frame.signIn =
    site.authIntegration === null && fallbackURL === null
      ? await signInLinks(services, site, location)
      : [{ title: '', href: withoutCredentials(href, query) }];
}

/** Redirects the visitor to where the integration of the site authenticates visitors. Returns whether it does. */
async function authenticate(
  services: ReadingServices,
  { res, frame, address, location }: RefusedRequest,
  site: SiteRow,
): Promise<boolean> {
  const authentication = await requestFor(services, frame, site, { location });
  if (!authentication) {
    return false;
  }
  const { url, cookies } = authentication;
  const { resourceUrls } = services;
  const isElsewhere = new URL(siteBase(resourceUrls, site)).origin !== new URL(resourceUrls.at('/')).origin;
  if (cookies.length > 0 && isElsewhere && !isSignIn(address)) {
    // The endpoint of the integration receives only cookies of its own origin.
    redirect(res, 302, signInUrl(resourceUrls, address, location), PRIVATE);
    return true;
  }
  res.append('Set-Cookie', cookies);
  redirect(res, 302, url, PRIVATE);
  return true;
}

/** Path of a site's sign-out address. Published integrations and renderers use it. */
const SIGN_OUT_PATH = '~gitbook/auth/logout';

/** Returns whether an address is the sign-out address. */
export const isSignOut = ({ path }: SiteAddress): boolean => path.join('/') === SIGN_OUT_PATH;

/** Ends the session of a visitor, and redirects to where the integration of the site ends that at its provider. */
export async function signOut(
  services: ReadingServices,
  { res, frame, query }: Pick<RefusedRequest, 'res' | 'frame' | 'query'>,
  site: SiteRow,
  session: string | undefined,
): Promise<void> {
  const url = siteBase(services.resourceUrls, site);
  if (session !== undefined) {
    await deleteVisitorSession(services.database.query, site, session);
  }
  forgetSession(res, { base: new URL(url).pathname.replace(/\/$/, ''), isSecure: url.startsWith('https:') });
  const location = query.get('location') ?? '';
  const ended = await requestFor(services, frame, site, { location, action: 'logout' });
  res.append('Set-Cookie', ended?.cookies ?? []);
  // The URL of the site may contain names that the visitor did not request.
  redirect(res, 302, ended?.url ?? (frame.base || '/'), PRIVATE);
}

/** Asks the integration of a site. Its error for the visitor becomes the page of an error. */
async function requestFor(
  services: ReadingServices,
  frame: ErrorFrame,
  site: SiteRow,
  request: AuthenticationRequest,
): Promise<VisitorAuthentication | undefined> {
  try {
    return await requestAuthentication(services, site, request);
  } catch (error) {
    if (error instanceof IntegrationRejectionError) {
      frame.rejection = error.message;
      throw integrationRejected(error.status, error.message);
    }
    throw error;
  }
}

/** The visitor is not admitted, or there is no site: both have the same page for sites that do not exist. */
export const notAdmitted = (status: 401 | 404): ContractError =>
  new ContractError(status, status === 401 ? 'unauthenticated' : 'not_found', 'The visitor is not admitted.');
