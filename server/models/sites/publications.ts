import { type SqlBool, sql } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import { batches } from '../../database/batches.ts';
import type { Queries } from '../../database/database.ts';
import type { StoredSiteVisibility } from '../../database/schema/sites.ts';
import { batched } from '../batched.ts';
import type { ResourceUrls } from '../resource-urls.ts';
import { selectSiteLocations } from './rows.ts';
import { encodeSegments, siteBase } from './urls.ts';

/** Where a space is published. */
export interface Publication {
  /** The widest audience of the published sites that show the space. */
  visibility: StoredSiteVisibility;
  /** URL on the site with that audience; on the oldest one if there are several. */
  url: string;
  /** Name of the integration that authenticates visitors there; null for another service. */
  authIntegration: string | null;
}

/** Returns the fields of the URLs of a space, or of its current content, that depend on where it is published. */
export const publishedUrlsOf = (publication: Publication | undefined) => ({
  ...(publication && { published: publication.url }),
  ...(publication?.visibility === 'public' && { public: publication.url }),
});

/** Visibility of a space: that of its publication, or otherwise its placement. */
export type SpaceVisibility = components['schemas']['Space']['visibility'];

/** Returns the visibility of a space. */
export const visibilityOf = (
  publication: Pick<Publication, 'visibility'> | undefined,
  parent: string | null,
): SpaceVisibility => publication?.visibility ?? (parent === null ? 'private' : 'in-collection');

/** The audiences of sites, widest first. */
const WIDEST_FIRST: readonly StoredSiteVisibility[] = ['public', 'unlisted', 'share-link', 'visitor-auth'];

/** Creates a function that finds where a space is published. The spaces of a list page are looked up together. */
export const publicationFinder = (queries: Queries, resourceUrls: ResourceUrls) =>
  batched<string, Publication | undefined>(async (spaces) => {
    const rows = await selectSiteLocations(queries)
      .select(['sites.authIntegration', 'sites.defaultSection', 'sites.defaultSiteSpace'])
      .innerJoin('siteSpaces', 'siteSpaces.site', 'sites.id')
      .leftJoin('siteSections', 'siteSections.id', 'siteSpaces.section')
      .select(['siteSpaces.space', 'siteSpaces.id as siteSpace', 'siteSpaces.path'])
      .select(['siteSections.id as section', 'siteSections.path as sectionPath'])
      .select('siteSections.defaultSiteSpace as defaultVariant')
      .select(
        sql<SqlBool>`exists (
          select 1 from "siteSections" as "others"
          where "others"."site" = "sites"."id" and "others"."path" = "siteSpaces"."path")`.as('isSection'),
      )
      .where('siteSpaces.space', 'in', [...new Set(spaces)])
      .where('sites.published', '=', 1)
      .orderBy('sites.createdAt')
      .orderBy('siteSpaces.id')
      .execute();
    const widest = widestBySpace(rows);
    return (space) => {
      const row = widest.get(space);
      if (!row) {
        return undefined;
      }
      const { visibility, authIntegration } = row;
      return { visibility, url: `${siteBase(resourceUrls, row)}${pathOf(row)}`, authIntegration };
    };
  });

/** Returns the row with the widest audience for each space; the first one if there are several. */
function widestBySpace<Row extends { space: string; visibility: StoredSiteVisibility }>(
  rows: readonly Row[],
): Map<string, Row> {
  const widest = new Map<string, Row>();
  for (const row of rows) {
    const current = widest.get(row.space);
    if (!current || WIDEST_FIRST.indexOf(row.visibility) < WIDEST_FIRST.indexOf(current.visibility)) {
      widest.set(row.space, row);
    }
  }
  return widest;
}

/** Spaces that one statement looks up. */
const LOOKUP_SIZE = 500;

/** Finds the visibilities of spaces by ID. */
export async function findVisibilities(
  queries: Queries,
  spaces: readonly string[],
): Promise<Map<string, SpaceVisibility>> {
  const visibilities = new Map<string, SpaceVisibility>();
  for (const batch of batches(spaces, LOOKUP_SIZE)) {
    const published = await queries
      .selectFrom('siteSpaces')
      .innerJoin('sites', 'sites.id', 'siteSpaces.site')
      .select(['siteSpaces.space', 'sites.visibility'])
      .where('siteSpaces.space', 'in', batch)
      .where('sites.published', '=', 1)
      .execute();
    const widest = widestBySpace(published);
    const rows = queries.selectFrom('spaces').select(['id', 'parent']).where('id', 'in', batch);
    for (const { id, parent } of await rows.execute()) {
      visibilities.set(id, visibilityOf(widest.get(id), parent));
    }
  }
  return visibilities;
}

/** Returns the path of a site space, as `SitePaths` does for a structure that was read. */
function pathOf(row: {
  siteSpace: string;
  path: string;
  section: string | null;
  sectionPath: string | null;
  defaultSection: string | null;
  defaultSiteSpace: string | null;
  defaultVariant: string | null;
  /** Whether a section of the site has the path of the site space. */
  isSection: SqlBool;
}): string {
  const isDefault = row.siteSpace === (row.section === null ? row.defaultSiteSpace : row.defaultVariant);
  const isInDefault = row.section === null || row.section === row.defaultSection;
  const needsSection = !isInDefault || (row.section !== null && !isDefault && Boolean(row.isSection));
  return encodeSegments([
    ...(needsSection && row.sectionPath !== null ? [row.sectionPath] : []),
    ...(isDefault ? [] : [row.path]),
  ]);
}
