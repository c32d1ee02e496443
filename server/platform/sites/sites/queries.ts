import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { readVersionOf, type VersionedCount } from '../../../database/lists/cached-counts.ts';
import type { NameSearch } from '../../../database/lists/name-searches.ts';
import { lookUp, notIndexed } from '../../../database/lookups.ts';
import type { CountedRows } from '../../../database/row-counts.ts';
import type { Schema } from '../../../database/schema.ts';
import { notFound } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { isInstalledOn } from '../../../identity/installations.ts';
import { type Membership, requireMember } from '../../../identity/membership.ts';
import { isSpaceVisibleToGuest } from '../../../identity/visibility.ts';
import { visibilityOwners } from '../../../identity/visibility-versions.ts';
import { countVisibleSitesOf } from '../../../identity/visible-sites.ts';
import { selectVisibleSpaces, spacesVisibleTo } from '../../../identity/visible-spaces.ts';
import { type SiteRow, selectSites } from '../../spaces/publications/rows.ts';
import {
  conditionsOn,
  matchingSites,
  otherSites,
  type SiteConditions,
  visibleMatches,
} from './queries/matching.ts';
import { requireSitePermission, type SitePermission } from './queries/permissions.ts';

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
  requireSitePermission(member, permission);
  return { row, member };
}

/** Filters of a list of sites. */
export interface SiteFilters extends SiteConditions {
  /** ID of a space that the site shows. */
  space?: string | undefined;
}

/** The sites of a list, with the source of their number. */
interface ListedSites {
  rows: SelectQueryBuilder<Schema, 'sites', SiteRow>;
  count: CountedRows | NameSearch | VersionedCount | number | undefined;
}

/** Selects {@link sitesVisibleTo} for a list. */
export async function listedSites(
  queries: Queries,
  member: Membership,
  { space, ...conditions }: SiteFilters,
): Promise<ListedSites> {
  const { organization, role, installation } = member;
  const hasConditions = conditionsOn(queries, 'sites', conditions).length > 0;
  if (installation || space !== undefined) {
    const rows = conditionsOn(queries, 'sites', conditions).reduce(
      (sites, condition) => sites.where(condition),
      await sitesVisibleTo(queries, member, { space }),
    );
    if (installation) {
      return { rows, count: undefined };
    }
    const visibility = await visibilityOf(queries, member);
    return { rows, count: { ...visibility, owners: ['sites', ...visibility.owners] } };
  }
  if (!hasConditions) {
    const count: ListedSites['count'] =
      role === undefined
        ? {
            ...(await visibilityOf(queries, member)),
            compute: () => countVisibleSitesOf(queries, member),
          }
        : { organization, kind: 'sites' };
    return { rows: await sitesVisibleTo(queries, member), count };
  }
  const matching = await matchingSites(queries, organization, conditions);
  // Few sites are looked up, instead of searching the list for them.
  const selectRows = async () =>
    matching.ids
      ? await sitesVisibleTo(queries, member, { ids: matching.ids })
      : conditionsOn(queries, 'sites', conditions).reduce(
          (sites, condition) => sites.where(condition),
          await sitesVisibleTo(queries, member),
        );
  if (role !== undefined) {
    return { rows: await selectRows(), count: matching.count };
  }
  const readVersion = async () => await readVersionOf(queries, await visibilityOf(queries, member));
  const [rows, version] = await Promise.all([selectRows(), readVersion()]);
  const search = visibleMatches(queries, member, conditions, {
    isVisible: (site) => isShownTo(queries, member, site),
    version,
  });
  const compute = () => countVisibleMatches(queries, member, { matching: matching.ids, conditions });
  return { rows, count: { ...search, compute } };
}

/** The dependencies of the sites that show a space that is visible to a member. */
const visibilityOf = async (queries: Queries, member: Membership): Promise<VersionedCount> => ({
  organizations: [member.organization],
  owners: ['site spaces', ...(member.role === undefined ? await visibilityOwners(queries, member) : [])],
  ...(member.role === undefined && { viewer: member.user }),
});

/**
 * Counts the sites visible to a guest that match a filter, by those that match or those that do not.
 *
 * @param filter.matching IDs of all sites that match, if they are few
 * @returns undefined if both are too many, so that the sites must be read
 */
async function countVisibleMatches(
  queries: Queries,
  guest: Membership,
  { matching, conditions }: { matching: readonly string[] | undefined; conditions: SiteConditions },
): Promise<number | undefined> {
  if (matching) {
    return await countVisibleAmong(queries, guest, matching);
  }
  const { ids } = await otherSites(queries, guest.organization, conditions);
  const visible = ids && (await countVisibleSitesOf(queries, guest));
  return visible === undefined ? undefined : visible - (await countVisibleAmong(queries, guest, ids ?? []));
}

async function countVisibleAmong(
  queries: Queries,
  member: Membership,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) {
    return 0;
  }
  const sites = await sitesVisibleTo(queries, member, { ids });
  const counted = sites.clearSelect().select(({ fn }) => fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}

/**
 * Selects the sites that are visible to a member: all of the organization; for guests, those that show a visible space;
 * for installations, those that they apply to.
 *
 * @param filter.space ID of a space that the sites show
 * @param filter.ids IDs to select among
 */
export async function sitesVisibleTo(
  queries: Queries,
  member: Membership,
  {
    space,
    ids,
  }: {
    space?: string | undefined;
    ids?: readonly string[] | SelectQueryBuilder<Schema, 'siteSpaces', { site: string }>;
  } = {},
): Promise<SelectQueryBuilder<Schema, 'sites', SiteRow>> {
  const { organization } = member;
  const selected = space === undefined ? ids : sitesWith(queries, space);
  let sites = selected
    ? selectSites(queries)
        .where('sites.id', 'in', selected)
        .where(notIndexed('sites.organization'), '=', organization)
    : selectSites(queries).where('sites.organization', '=', organization);
  if (member.installation) {
    sites = sites.where(isInstalledOn(member.installation, 'site', sql.ref('sites.id')));
  }
  if (member.role !== undefined || (member.installation && space === undefined)) {
    return sites;
  }
  if (space !== undefined) {
    // Evaluated once, since it does not depend on the sites.
    const visible = spacesVisibleTo(queries, member).where('spaces.id', '=', space);
    return sites.where(sql<SqlBool>`(${visible.select(sql.lit(1).as('one'))}) = 1`);
  }
  const { rows, isSmall } = await selectVisibleSpaces(queries, member);
  const ofVisibleSpaces = queries
    .selectFrom('siteSpaces')
    .select('siteSpaces.site')
    .where('siteSpaces.space', 'in', rows.select('spaces.id'));
  return isSmall
    ? sites.where('sites.id', 'in', ofVisibleSpaces)
    : sites.where(isShownTo(queries, member, sql.ref('sites.id')));
}

/** Condition that a site shows a space that is visible to a guest. */
function isShownTo(queries: Queries, guest: Membership, site: RawBuilder<string>): RawBuilder<SqlBool> {
  const ofSite = selectShown(queries, guest)
    .select(sql.lit(1).as('one'))
    .where('siteSpaces.site', '=', site)
    .limit(1);
  // Selects a value instead of `exists`, which PostgreSQL may evaluate by reading all site spaces.
  return sql<SqlBool>`${ofSite} = 1`;
}

/** Selects the IDs of the sites that show a space. */
export const sitesWith = (queries: Queries, space: string) =>
  queries.selectFrom('siteSpaces').select('siteSpaces.site').where('siteSpaces.space', '=', space);

/** Selects the site spaces of spaces that are visible to a member. */
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
