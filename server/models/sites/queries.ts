import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { VersionedCount } from '../../database/cached-counts.ts';
import type { Queries } from '../../database/database.ts';
import { flag, readJson } from '../../database/json.ts';
import { lookUp } from '../../database/lookups.ts';
import type { Schema } from '../../database/schema.ts';
import { containsText } from '../../database/text.ts';
import { notFound } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { isInstalledOn } from '../../identity/installations.ts';
import {
  type Membership,
  requireMember,
  requireOrganizationPermission,
  roleFor,
} from '../../identity/membership.ts';
import { isSpaceVisibleToGuest } from '../../identity/visibility.ts';
import { batched } from '../batched.ts';
import { visibleSpaces } from '../spaces/visible.ts';
import { type SiteRow, selectSiteLocations, selectSites } from './rows.ts';
import type { SiteAddress } from './urls.ts';
import { countVisibleSites } from './visible-count.ts';

/** IDs of a site and its organization. */
export interface SiteName {
  organization: string;
  site: string;
}

/** A site with the caller's membership in its organization. */
export interface SiteWithAccess {
  row: SiteRow;
  member: Membership;
}

/** Permissions that operations on a site require in its organization. */
const REQUIRED = { view: 'view', structure: 'createContent', admin: 'admin' } as const;

/** Permission on a site: to view it, to change its structure and publish it, or to change its settings. */
export type SitePermission = keyof typeof REQUIRED;

/**
 * Finds a site, and requires a permission on it. For guests, only the sites exist that show a space visible to them.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function siteFor(
  queries: Queries,
  caller: CallerId,
  { organization, site }: SiteName,
  permission: SitePermission,
): Promise<SiteWithAccess> {
  const member = await requireMember(queries, caller, organization);
  const row = await (await sitesVisibleTo(queries, member)).where('sites.id', '=', site).executeTakeFirst();
  if (!row) {
    throw notFound('site');
  }
  requireOrganizationPermission({ role: roleFor(member, 'site') }, REQUIRED[permission]);
  return { row, member };
}

/** Finds a published site by the names in its address. */
export async function findPublishedSite(
  queries: Queries,
  { organization, site }: Pick<SiteAddress, 'organization' | 'site'>,
): Promise<SiteRow | undefined> {
  const owner = selectOwner(queries, organization).select('organizations.id');
  // The condition on the organization is repeated, so that each alternative has an index.
  return await selectSites(queries)
    .where('sites.published', '=', 1)
    .where((row) =>
      row.or([
        row.and([row('sites.organization', 'in', owner), row('sites.basename', '=', site)]),
        row.and([row('sites.organization', 'in', owner), row('sites.id', '=', site)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
}

/** Finds the default content of an organization, by the hostname or ID in its address, if it is published. */
export async function findDefaultSite(queries: Queries, organization: string): Promise<SiteRow | undefined> {
  const owner = await selectOwner(queries, organization)
    .select(['organizations.id', 'organizations.defaultContent'])
    .executeTakeFirst();
  const content = readJson(owner?.defaultContent ?? null);
  return owner && content
    ? await findPublishedSite(queries, { organization: owner.id, site: content.site })
    : undefined;
}

/** A site that search engines index. */
export type IndexedSite = Pick<
  SiteRow,
  'id' | 'organization' | 'organizationHostname' | 'basename' | 'proxyOrigin' | 'agentsContext'
>;

/** Lists the published sites of an organization that search engines index, by the hostname or ID in its address. */
export const listIndexedSites = async (
  queries: Queries,
  organization: string,
  limit: number,
): Promise<IndexedSite[]> =>
  await selectSiteLocations(queries)
    .select('sites.agentsContext')
    .where('sites.organization', 'in', selectOwner(queries, organization).select('organizations.id'))
    .where('sites.published', '=', 1)
    .where('sites.visibility', '=', 'public')
    .orderBy('sites.createdAt')
    .orderBy('sites.id')
    .limit(limit)
    .execute();

/** Selects the organization that an address names by its hostname or ID. */
const selectOwner = (queries: Queries, organization: string) =>
  queries
    .selectFrom('organizations')
    .where((row) =>
      row.or([row('organizations.hostname', '=', organization), row('organizations.id', '=', organization)]),
    );

/** Filters of a list of sites. */
export interface SiteFilters {
  /** ID of a space that the site shows. */
  space?: string | undefined;
  /** Text that the title contains. */
  title?: string | undefined;
  published?: boolean | undefined;
  type?: readonly SiteRow['type'][] | undefined;
}

/**
 * Selects the sites that are visible to a member: all of the organization; for guests, those that show a visible space;
 * for installations, those that they apply to.
 */
export async function sitesVisibleTo(
  queries: Queries,
  member: Membership,
  { space, title, published, type }: SiteFilters = {},
): Promise<SelectQueryBuilder<Schema, 'sites', SiteRow>> {
  let sites = selectSites(queries).where('sites.organization', '=', member.organization);
  if (member.installation) {
    sites = sites.where(isInstalledOn(member.installation, 'site', sql.ref('sites.id')));
  }
  if (space !== undefined) {
    const shown = selectShown(queries, member).where('siteSpaces.space', '=', space);
    sites = sites.where('sites.id', 'in', shown.select('siteSpaces.site'));
  } else if (member.role === undefined && !member.installation) {
    const { rows, isSmall } = await visibleSpaces(queries, member);
    const ofVisibleSpaces = queries
      .selectFrom('siteSpaces')
      .select('siteSpaces.site')
      .where('siteSpaces.space', 'in', rows.select('spaces.id'));
    const ofSite = selectShown(queries, member)
      .select(sql.lit(1).as('one'))
      .where('siteSpaces.site', '=', sql.ref<string>('sites.id'))
      .limit(1);
    // Selects a value instead of `exists`, which PostgreSQL may evaluate by reading all site spaces.
    sites = isSmall
      ? sites.where('sites.id', 'in', ofVisibleSpaces)
      : sites.where(sql<SqlBool>`${ofSite} = 1`);
  }
  if (title !== undefined) {
    sites = sites.where(containsText('sites.title', title));
  }
  if (published !== undefined) {
    sites = sites.where('sites.published', '=', flag(published));
  }
  return type && type.length > 0 ? sites.where('sites.type', 'in', type) : sites;
}

/**
 * The number of {@link sitesVisibleTo}. That of a guest depends on grants and teams; that of an installation, which
 * depends on its rights, is not cached.
 *
 * @param isFiltered whether the list has filters
 */
export function sitesCount(
  queries: Queries,
  member: Membership,
  { isFiltered }: { isFiltered: boolean },
): VersionedCount | undefined {
  const { organization, user, role, installation } = member;
  if (installation) {
    return undefined;
  }
  return role === undefined
    ? {
        organizations: [organization],
        owners: ['sites', '', user],
        viewer: user,
        ...(!isFiltered && { compute: () => countVisibleSites(queries, member) }),
      }
    : { organizations: [organization], owners: ['sites'] };
}

/** Selects the site spaces whose spaces are visible to a member. */
function selectShown(queries: Queries, member: Membership) {
  const siteSpaces = queries.selectFrom('siteSpaces');
  if (member.role !== undefined) {
    return siteSpaces;
  }
  const isShown = sql`"spaces"."id" = "siteSpaces"."space" and "spaces"."deletedAt" is null`;
  return siteSpaces.where(
    sql<SqlBool>`(
      select 1 from (select 1) as "one" ${lookUp(queries, 'spaces', ['id', 'parent'], isShown)}
      where ${isSpaceVisibleToGuest(queries, member)}) = 1`,
  );
}

/** Creates a function that counts the site spaces of a site that a member sees. Counts of a page are batched. */
export const siteSpacesCounter = (queries: Queries, member: Membership) =>
  batched<string, number>(async (sites) => {
    const counts = await selectShown(queries, member)
      .where('siteSpaces.site', 'in', sites)
      .select(['siteSpaces.site', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy('siteSpaces.site')
      .execute();
    const bySite = new Map(counts.map(({ site, count }) => [site, count]));
    return (site) => bySite.get(site) ?? 0;
  });
