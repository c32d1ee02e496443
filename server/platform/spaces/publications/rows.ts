import { type ExpressionBuilder, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Queries, Transaction } from '../../../database/database.ts';
import type {
  SiteSectionGroupsTable,
  SiteSectionsTable,
  SiteSpacesTable,
  SitesTable,
} from '../../../database/schema/sites/sites.ts';
import type { Schema } from '../../../database/schema.ts';
import { changesOf } from '../../kit/audit/changes.ts';

/** A row of the table of sites, with the hostname of its organization, which is part of its URL. */
export interface SiteRow extends Selectable<SitesTable> {
  organizationHostname: string | null;
}

export type GroupRow = Selectable<SiteSectionGroupsTable>;
export type SectionRow = Selectable<SiteSectionsTable>;
export type SiteSpaceRow = Selectable<SiteSpacesTable>;

/** The rows of a site, each in order of position. */
export interface StructureRows {
  site: SiteRow;
  groups: readonly GroupRow[];
  sections: readonly SectionRow[];
  siteSpaces: readonly SiteSpaceRow[];
}

/** The hostname of the organization. A join would let the query planner start from the organizations, and sort. */
const organizationHostname = (site: ExpressionBuilder<Schema, 'sites'>) =>
  site
    .selectFrom('organizations')
    .select('organizations.hostname')
    .whereRef('organizations.id', '=', 'sites.organization')
    .as('organizationHostname');

/** Selects sites as {@link SiteRow}s. */
export const selectSites = (queries: Queries) =>
  queries.selectFrom('sites').selectAll('sites').select(organizationHostname);

/** Selects sites by ID. */
export const sitesById = (queries: Queries, ids: readonly string[]) =>
  selectSites(queries).where('sites.id', 'in', ids);

/** Selects what the URLs of sites depend on. Other columns are large, such as the customization. */
export const selectSiteLocations = (queries: Queries) =>
  queries
    .selectFrom('sites')
    .select(['sites.id', 'sites.organization', 'sites.basename', 'sites.proxyOrigin', 'sites.visibility'])
    .select(organizationHostname);

/** The size of a site in lists. */
export const siteBytes: RawBuilder<number> = sql<number>`
  coalesce(octet_length("sites"."customization"), 0) + coalesce(octet_length("sites"."adaptiveSchema"), 0)`;

/** Reads the rows of a site, in three statements. */
export async function readRows(queries: Queries, site: SiteRow): Promise<StructureRows> {
  const groups = queries.selectFrom('siteSectionGroups').selectAll().where('site', '=', site.id);
  const sections = queries.selectFrom('siteSections').selectAll().where('site', '=', site.id);
  const siteSpaces = queries.selectFrom('siteSpaces').selectAll().where('site', '=', site.id);
  return {
    site,
    groups: await groups.orderBy('position').orderBy('id').execute(),
    sections: await sections.orderBy('position').orderBy('id').execute(),
    siteSpaces: await siteSpaces.orderBy('position').orderBy('id').execute(),
  };
}

/**
 * Writes the differences between the rows of a site before and after a change. Returns the rows with the new version
 * of the site; the same rows if nothing changed.
 */
export async function writeRows(
  trx: Transaction,
  before: StructureRows,
  after: StructureRows,
): Promise<StructureRows> {
  const groups = differences(before.groups, after.groups);
  const sections = differences(before.sections, after.sections);
  const siteSpaces = differences(before.siteSpaces, after.siteSpaces);
  const settings = changesOf(before.site, after.site);
  const all = [groups, sections, siteSpaces];
  if (!settings && all.every(({ written, removed }) => written.length === 0 && removed.length === 0)) {
    return before;
  }
  for (const [table, { removed }] of [
    ['siteSectionGroups', groups],
    ['siteSections', sections],
    ['siteSpaces', siteSpaces],
  ] as const) {
    if (removed.length > 0) {
      await trx.deleteFrom(table).where('id', 'in', removed).execute();
    }
  }
  if (groups.written.length > 0) {
    await trx
      .insertInto('siteSectionGroups')
      .values(groups.written)
      .onConflict((row) =>
        row.column('id').doUpdateSet(({ ref }) => ({
          title: ref('excluded.title'),
          icon: ref('excluded.icon'),
          position: ref('excluded.position'),
        })),
      )
      .execute();
  }
  if (sections.written.length > 0) {
    await trx
      .insertInto('siteSections')
      .values(sections.written)
      .onConflict((row) =>
        row.column('id').doUpdateSet(({ ref }) => ({
          sectionGroup: ref('excluded.sectionGroup'),
          title: ref('excluded.title'),
          description: ref('excluded.description'),
          path: ref('excluded.path'),
          condition: ref('excluded.condition'),
          icon: ref('excluded.icon'),
          defaultSiteSpace: ref('excluded.defaultSiteSpace'),
          position: ref('excluded.position'),
        })),
      )
      .execute();
  }
  if (siteSpaces.written.length > 0) {
    await trx
      .insertInto('siteSpaces')
      .values(siteSpaces.written)
      .onConflict((row) =>
        row.column('id').doUpdateSet(({ ref }) => ({
          section: ref('excluded.section'),
          space: ref('excluded.space'),
          path: ref('excluded.path'),
          condition: ref('excluded.condition'),
          position: ref('excluded.position'),
        })),
      )
      .execute();
  }
  const version = before.site.version + 1;
  await trx
    .updateTable('sites')
    .set({ ...settings?.values, version })
    .where('id', '=', before.site.id)
    .execute();
  return { ...after, site: { ...after.site, version } };
}

/** Returns the new and changed rows, and the IDs of the removed ones. */
function differences<Row extends { id: string }>(
  before: readonly Row[],
  after: readonly Row[],
): { written: Row[]; removed: string[] } {
  const previous = new Map(before.map((row) => [row.id, row]));
  const remaining = new Set(after.map(({ id }) => id));
  const isChanged = (row: Row) => {
    const old = previous.get(row.id);
    return !old || (old !== row && changesOf(old, row) !== undefined);
  };
  return {
    written: after.filter(isChanged),
    removed: before.filter(({ id }) => !remaining.has(id)).map(({ id }) => id),
  };
}
