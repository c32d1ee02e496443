/** The sign-in of visitors, and of members of the organization of a site. */
import type { Request } from 'express';
import type { Membership } from '../../../identity/membership.ts';
import { findSession } from '../../../identity/sessions.ts';
import { sessionSecretOf } from '../../accounts/saml/sign-in/cookies.ts';
import { isReturnPath } from '../../accounts/saml/sign-in/return-path.ts';
import { listActiveProviders } from '../../accounts/saml-providers/queries.ts';
import type { SiteRow } from '../../spaces/publications/rows.ts';
import { SIGN_IN_SEGMENT, type SiteAddress, sitePublicUrl } from '../../spaces/publications/urls.ts';
import { memberOf } from '../visitors/admit.ts';
import type { ReadingServices } from './reading-site.ts';
import type { Link } from './templates/types.ts';

/** Finds the organization member of a request's session, if the member can see the site. */
export async function signedInMember(
  { database, clock }: ReadingServices,
  req: Request,
  site: SiteRow,
): Promise<Membership | undefined> {
  const secret = sessionSecretOf(req);
  const session = secret === undefined ? undefined : await findSession(database.query, secret, clock());
  return session?.organization === site.organization
    ? await memberOf(database.query, site, session.user)
    : undefined;
}

/**
 * Returns the addresses for members to sign in to a site, with the titles of the SAML providers: members return to a
 * path of the site at the public URL, which redirects them to its origin.
 */
export async function signInLinks(
  { database, resourceUrls }: ReadingServices,
  site: SiteRow,
  path: string,
): Promise<Link[]> {
  const { pathname } = new URL(sitePublicUrl(resourceUrls, site));
  const whole = `${pathname}${path === '/' ? '' : path}`;
  const query = new URLSearchParams({ return: isReturnPath(whole) ? whole : pathname });
  const providers = await listActiveProviders(database.query, site.organization);
  return providers.map(({ id, label }) => ({
    title: label,
    href: `${resourceUrls.samlService(id).startURL}?${query}`,
  }));
}

/** Returns whether an address is that of {@link signInUrl}. */
export const isSignIn = ({ path }: SiteAddress): boolean => path.length === 1 && path[0] === SIGN_IN_SEGMENT;

/**
 * Returns the path that a visitor requested before the sign-in, empty for that of the site; undefined if an address is not that of
 * {@link signInUrl}. Removes the parameters of the sign-in from the query.
 */
export function signInLocation(address: SiteAddress, query: URLSearchParams): string | undefined {
  if (!isSignIn(address)) {
    return undefined;
  }
  const location = query.get('location');
  query.delete('location');
  return isReturnPath(location) && location !== '/' ? location : '';
}
