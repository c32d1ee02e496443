import { type Expression, type InferResult, type SqlBool, sql } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import { batched } from '../../../database/batched.ts';
import { batches } from '../../../database/batches.ts';
import type { Queries } from '../../../database/database.ts';
import { type JsonText, readJson } from '../../../database/json.ts';
import { jsonRows } from '../../../database/json-rows.ts';
import { listed } from '../../../database/lookups.ts';
import type { StoredSiteVisibility } from '../../../database/schema/sites/sites.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
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

/** Position of the audience of a site in {@link WIDEST_FIRST}. */
const audienceOf = (site: string) =>
  sql<number>`case ${sql.ref(`${site}.visibility`)} ${sql.join(
    WIDEST_FIRST.map((visibility, index) => sql`when ${sql.lit(visibility)} then ${sql.lit(index)}`),
    sql` `,
  )} end`;

/** Selects where a space is published: the site space that determines it; no row if it is not published. */
function selectPublication(queries: Queries, space: Expression<string>) {
  const widest = sql<string>`(
    select "shown"."id" from "siteSpaces" as "shown"
    inner join "sites" as "showing" on "showing"."id" = "shown"."site"
    where "shown"."space" = ${space} and "showing"."published" = 1
    order by ${audienceOf('showing')}, "showing"."createdAt", "shown"."id" limit 1)`;
  return selectSiteLocations(queries)
    .select(['sites.authIntegration', 'sites.defaultSection', 'sites.defaultSiteSpace'])
    .innerJoin('siteSpaces', 'siteSpaces.site', 'sites.id')
    .leftJoin('siteSections', 'siteSections.id', 'siteSpaces.section')
    .select(['siteSpaces.id as siteSpace', 'siteSpaces.path'])
    .select(['siteSections.id as section', 'siteSections.path as sectionPath'])
    .select('siteSections.defaultSiteSpace as defaultVariant')
    .select(
      sql<SqlBool>`exists (
        select 1 from "siteSections" as "others"
        where "others"."site" = "sites"."id" and "others"."path" = "siteSpaces"."path")`.as('isSection'),
    )
    .where('siteSpaces.id', '=', widest);
}

/** A row of {@link selectPublication}. */
type PublicationRow = InferResult<ReturnType<typeof selectPublication>>[number];

/** The column of {@link publicationColumn}. */
export interface PublicationColumn {
  publications: JsonText<PublicationRow[]>;
}

/** Creates the column `publications` with where a space is published, see {@link readPublication}. */
export const publicationColumn = (queries: Queries, space: Expression<string>) =>
  jsonRows(queries, selectPublication(queries, space)).as('publications');

/** Returns where a space is published, from its column. */
export function readPublication(
  { publications }: PublicationColumn,
  resourceUrls: ResourceUrls,
): Publication | undefined {
  const [row] = readJson(publications);
  return (
    row && {
      visibility: row.visibility,
      url: `${siteBase(resourceUrls, row)}${pathOf(row)}`,
      authIntegration: row.authIntegration,
    }
  );
}

const findPublications = statement((queries, { spaces }: ParametersOf<{ spaces: readonly string[] }>) =>
  sql<PublicationColumn & { id: string }>`
    select "requested"."id", ${publicationColumn(queries, sql.ref('requested.id'))}
    from ${listed(queries, spaces, 'requested')}`.compile(queries),
);

/** Creates a function that finds where a space is published. The spaces of a list page are looked up together. */
export const publicationFinder = (queries: Queries, resourceUrls: ResourceUrls) =>
  batched<string, Publication | undefined>(async (spaces) => {
    const rows = await findPublications.rows(queries, { spaces: [...new Set(spaces)] });
    const bySpace = new Map(rows.map((row) => [row.id, readPublication(row, resourceUrls)]));
    return (space) => bySpace.get(space);
  });

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
      .select(['siteSpaces.space', sql<number>`min(${audienceOf('sites')})`.as('audience')])
      .where('siteSpaces.space', 'in', batch)
      .where('sites.published', '=', 1)
      .groupBy('siteSpaces.space')
      .execute();
    const widest = new Map(published.map(({ space, audience }) => [space, WIDEST_FIRST[audience]]));
    const rows = queries.selectFrom('spaces').select(['id', 'parent']).where('id', 'in', batch);
    for (const { id, parent } of await rows.execute()) {
      const visibility = widest.get(id);
      visibilities.set(id, visibilityOf(visibility && { visibility }, parent));
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
