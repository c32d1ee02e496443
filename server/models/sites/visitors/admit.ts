import type { Database, Queries } from '../../../database/database.ts';
import type { Clock } from '../../../database/seams.ts';
import { findMembership, type Membership } from '../../../identity/membership.ts';
import { hashToken } from '../../../identity/tokens.ts';
import type { SiteRow } from '../structure.ts';
import { verifyMemberClaims, verifyVisitorToken } from './tokens.ts';
import { type Refusal, type SiteVisitor, type VisitorCredentials, visitorOf } from './visitor.ts';

interface VisitorServices {
  database: Database;
  clock: Clock;
  secretKey: string;
}

/**
 * Admits a visitor to a published site, or states why not. Members of the organization who can see the site are
 * admitted to every visibility; their claims are `member` and, for admins of the organization, `admin`.
 */
export async function admitVisitor(
  services: VisitorServices,
  site: SiteRow,
  { shareKey, visitorToken, unsignedClaims, member }: VisitorCredentials,
): Promise<SiteVisitor | Refusal> {
  const { fallbackURL, visibility } = site;
  if (site.published === 0) {
    return { refused: 'not-found', fallbackURL: null };
  }
  const membership = member ?? (await memberOf(services, site, visitorToken));
  if (membership) {
    return visitorOf(site, memberClaimsOf(membership), unsignedClaims);
  }
  const claims =
    visitorToken === undefined
      ? undefined
      : await verifyVisitorToken(services, site, visitorToken, [site.id]);
  const isAdmitted =
    visibility === 'visitor-auth'
      ? claims !== undefined
      : visibility !== 'share-link' || (await isShareKey(services.database.query, site.id, shareKey));
  if (isAdmitted) {
    return visitorOf(site, claims ?? {}, unsignedClaims);
  }
  return visibility === 'visitor-auth'
    ? { refused: 'authentication-required', fallbackURL }
    : { refused: 'not-found', fallbackURL: null };
}

/** Returns whether a text is the secret of an active share link. Only hashes are compared. */
async function isShareKey(queries: Queries, site: string, secret: string | undefined): Promise<boolean> {
  if (secret === undefined) {
    return false;
  }
  const link = await queries
    .selectFrom('shareLinks')
    .select('active')
    .where('site', '=', site)
    .where('secretHash', '=', hashToken(secret))
    .executeTakeFirst();
  return link?.active === 1;
}

/** Finds the current membership of a user whose claims a ping returned. */
async function memberOf(
  services: VisitorServices,
  { organization }: SiteRow,
  token: string | undefined,
): Promise<Membership | undefined> {
  const user = token === undefined ? undefined : await verifyMemberClaims(services, organization, token);
  const membership =
    user === undefined ? undefined : await findMembership(services.database.query, user, organization);
  // Guests see only sites that show a space they can see.
  return membership?.role === undefined ? undefined : membership;
}

const memberClaimsOf = ({ role }: Membership) => ({ member: true, admin: role === 'admin' });
