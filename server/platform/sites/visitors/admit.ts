import type { Database, Queries } from '../../../database/database.ts';
import type { Clock } from '../../../database/seams.ts';
import { findMembership, type Membership } from '../../../identity/membership.ts';
import { hashToken } from '../../../identity/tokens.ts';
import { spacesVisibleAmong } from '../../../identity/visible-spaces.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { findAuthInstallation } from '../site-integrations/authentication.ts';
import { sitesVisibleTo } from '../sites/queries.ts';
import { siteNamedBy, verifySiteToken } from './site-tokens.ts';
import { createTokenRules, type IdentifyingSite } from './token-rules.ts';
import { verifyMemberClaims, verifyVisitorToken } from './tokens.ts';
import {
  type Refusal,
  type SiteVisitor,
  splitClaims,
  type VisitorCredentials,
  visitorOf,
} from './visitor.ts';

/** Services that verify the credentials of visitors. */
export interface VisitorServices {
  database: Database;
  clock: Clock;
  secretKey: string;
  resourceUrls: ResourceUrls;
}

/** Whom a visitor token identifies. */
interface VisitorIdentity {
  claims: Readonly<Record<string, unknown>>;
  /** Claims that the browser states about itself. */
  unsigned?: Readonly<Record<string, unknown>> | undefined;
  /** Undefined for a token that was signed for the site. */
  member?: Membership;
  /** Secret of the share link that admits the visitor. */
  shareKey?: string | undefined;
}

/**
 * Admits a visitor to a published site, or states why not. Members of the organization who can see the site are
 * admitted to every visibility; their claims are `member` and, for admins of the organization, `admin`. Guests who are
 * admitted only as such see the spaces that are visible to them. A token that is not valid is ignored where none is
 * required.
 */
export async function admitVisitor(
  services: VisitorServices,
  site: SiteRow,
  { shareKey, visitorToken, unsignedClaims, member }: VisitorCredentials,
): Promise<SiteVisitor | Refusal> {
  if (site.published === 0) {
    return { refused: 'not-found', fallbackURL: null };
  }
  const { query: queries } = services.database;
  const identity =
    member?.role === undefined && visitorToken !== undefined
      ? ((await identifyVisitor(services, site, visitorToken)) ?? (member && identityOf(member)))
      : member && identityOf(member);
  const { visibility, fallbackURL } = site;
  const unsigned = unsignedClaims ?? identity?.unsigned;
  const isAdmitted =
    identity?.member?.role !== undefined ||
    (visibility === 'visitor-auth' && identity !== undefined && !identity.member) ||
    (visibility === 'share-link' && (await isShareKey(queries, site.id, shareKey ?? identity?.shareKey))) ||
    visibility === 'public' ||
    visibility === 'unlisted';
  if (isAdmitted) {
    return visitorOf(site, identity?.claims ?? {}, { unsigned });
  }
  if (identity?.member) {
    const spaces = await spacesOfGuest(queries, site, identity.member);
    return visitorOf(site, identity.claims, { unsigned, spaces });
  }
  if (visibility !== 'visitor-auth') {
    return { refused: 'not-found', fallbackURL: null };
  }
  return { refused: visitorToken === undefined ? 'authentication-required' : 'token-rejected', fallbackURL };
}

/**
 * Verifies a visitor token: signed with a key of the site, returned to a member by a ping, or a site token.
 *
 * @returns undefined if it is not valid for the site
 */
export async function identifyVisitor(
  services: VisitorServices,
  site: IdentifyingSite,
  token: string,
): Promise<VisitorIdentity | undefined> {
  if (siteNamedBy(token) !== undefined) {
    return await identifyReader(services, site, token);
  }
  const { database, secretKey, resourceUrls } = services;
  const provider = await findAuthInstallation(database.query, site, secretKey);
  const rules = createTokenRules(secretKey, resourceUrls)(site, provider?.installation);
  const claims = await verifyVisitorToken(services, rules, token);
  if (claims) {
    return { claims };
  }
  const user = await verifyMemberClaims(services, site.organization, token);
  const member = user === undefined ? undefined : await memberOf(database.query, site, user);
  return member && identityOf(member);
}

/** Returns the visitor of a site token; undefined if the token is not valid, or a membership has ended. */
async function identifyReader(
  services: VisitorServices,
  site: IdentifyingSite,
  token: string,
): Promise<VisitorIdentity | undefined> {
  const issued = await verifySiteToken(services, site, token);
  if (issued?.member === undefined) {
    return issued && { ...splitClaims(issued.claims), shareKey: issued.shareKey };
  }
  const member = await memberOf(services.database.query, site, issued.member);
  return member && { ...identityOf(member), unsigned: splitClaims(issued.claims).unsigned };
}

/** Finds the current membership of a user who can see a site. */
export async function memberOf(
  queries: Queries,
  site: Pick<SiteRow, 'id' | 'organization'>,
  user: string,
): Promise<Membership | undefined> {
  const member = await findMembership(queries, user, site.organization);
  if (!member) {
    return undefined;
  }
  const visible = await sitesVisibleTo(queries, member);
  return (await visible.where('sites.id', '=', site.id).executeTakeFirst()) && member;
}

const identityOf = (member: Membership): VisitorIdentity => ({
  claims: { member: true, ...(member.role === 'admin' && { admin: true }) },
  member,
});

/** Returns the spaces of a site that are visible to a guest. */
async function spacesOfGuest(
  queries: Queries,
  { id }: SiteRow,
  member: Membership,
): Promise<ReadonlySet<string>> {
  const shown = queries.selectFrom('siteSpaces').select('siteSpaces.space').where('siteSpaces.site', '=', id);
  const rows = await spacesVisibleAmong(queries, member, shown).select('spaces.id').execute();
  return new Set(rows.map((row) => row.id));
}

/** Returns whether a text is the secret of an active share link. Only hashes are compared. */
export async function isShareKey(
  queries: Queries,
  site: string,
  secret: string | undefined,
): Promise<boolean> {
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
