import { type SqlBool, sql } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { StoredSiteVisibility } from '../../database/schema/sites.ts';
import { batched } from '../batched.ts';
import type { ResourceUrls } from '../resource-urls.ts';
import { selectSites } from './rows.ts';
import { encodeSegments, siteBase } from './urls.ts';

/** Where a space is published. */
export interface Publication {
  /** The widest audience of the published sites that show the space. */
  visibility: StoredSiteVisibility;
  /** URL on the site with that audience; on the oldest one if there are several. */
  url: string;
}

/** Returns the fields of the URLs of a space, or of its current content, that depend on where it is published. */
export const publishedUrlsOf = (publication: Publication | undefined) => ({
  ...(publication && { published: publication.url }),
  ...(publication?.visibility === 'public' && { public: publication.url }),
});

/** The audiences of sites, widest first. */
const WIDEST_FIRST: readonly StoredSiteVisibility[] = ['public', 'unlisted', 'share-link', 'visitor-auth'];

/** Creates a function that finds where a space is published. The spaces of a list page are looked up together. */
export const publicationFinder = (queries: Queries, resourceUrls: ResourceUrls) =>
  batched<string, Publication | undefined>(async (spaces) => {
    const rows = await selectSites(queries)
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
    const widest = new Map<string, (typeof rows)[number]>();
    for (const row of rows) {
      const found = widest.get(row.space);
      if (!found || WIDEST_FIRST.indexOf(row.visibility) < WIDEST_FIRST.indexOf(found.visibility)) {
        widest.set(row.space, row);
      }
    }
    return (space) => {
      const row = widest.get(space);
      if (!row) {
        return undefined;
      }
      return { visibility: row.visibility, url: `${siteBase(resourceUrls, row)}${pathOf(row)}` };
    };
  });

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
