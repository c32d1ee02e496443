/** Finds published sites by their addresses. */
import type { Expression } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import { type SiteRow, selectSiteLocations, selectSites } from './rows.ts';
import type { SiteAddress } from './urls.ts';

/** Finds a published site by the names in its address. */
export async function findPublishedSite(
  queries: Queries,
  { organization, site }: Pick<SiteAddress, 'organization' | 'site'>,
): Promise<SiteRow | undefined> {
  return await findSiteByNames.first(queries, { organization, site });
}

/** The names in the URL of a site, as parameters of a statement. */
export interface SiteNames {
  /** Hostname or ID of the organization. */
  organization: string;
  /** Basename or ID of the site. */
  site: string;
}

/** Selects the published site with some names as a {@link SiteRow}. */
export const selectPublishedSite = (queries: Queries, { organization, site }: ParametersOf<SiteNames>) =>
  selectOwner(queries, organization)
    // Not reordered by SQLite, which would read all sites if it assumes few of them.
    .crossJoin('sites')
    .whereRef('sites.organization', '=', 'organizations.id')
    .selectAll('sites')
    .select('organizations.hostname as organizationHostname')
    .where('sites.published', '=', 1)
    .where((row) => row.or([row('sites.basename', '=', site), row('sites.id', '=', site)]))
    .limit(1);

const findSiteByNames = statement((queries, names: ParametersOf<SiteNames>) =>
  selectPublishedSite(queries, names).compile(),
);

/** Maximum number of segments of the path of a proxied site that is found by a URL. */
export const MAX_PROXY_SEGMENTS = 10;

/** Finds the published site behind the longest proxy that the host and the start of a path name. */
export async function findProxiedSite(
  queries: Queries,
  host: string,
  segments: readonly string[],
): Promise<SiteRow | undefined> {
  const origins = segments
    .slice(0, MAX_PROXY_SEGMENTS)
    .map((_, index) => [host, ...segments.slice(0, index + 1)].join('/'));
  const sites = await selectSites(queries)
    .where('sites.published', '=', 1)
    .where('sites.proxyOrigin', 'in', [host, ...origins])
    .execute();
  return sites.toSorted((a, b) => (b.proxyOrigin?.length ?? 0) - (a.proxyOrigin?.length ?? 0))[0];
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
const selectOwner = (queries: Queries, organization: string | Expression<string>) =>
  queries
    .selectFrom('organizations')
    .where((row) =>
      row.or([row('organizations.hostname', '=', organization), row('organizations.id', '=', organization)]),
    );

/** Returns the organization of a space that a published site shows; undefined if the site does not show it. */
export async function organizationOfShown(
  queries: Queries,
  site: string,
  space: string,
): Promise<string | undefined> {
  const shown = await queries
    .selectFrom('siteSpaces')
    .innerJoin('sites', 'sites.id', 'siteSpaces.site')
    .innerJoin('spaces', 'spaces.id', 'siteSpaces.space')
    .select('sites.organization')
    .where('siteSpaces.site', '=', site)
    .where('siteSpaces.space', '=', space)
    .where('sites.published', '=', 1)
    .where('spaces.deletedAt', 'is', null)
    .executeTakeFirst();
  return shown?.organization;
}
