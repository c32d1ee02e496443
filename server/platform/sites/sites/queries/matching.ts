import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../../../../database/database.ts';
import { fold } from '../../../../database/fold.ts';
import { flag } from '../../../../database/json.ts';
import { cachedPage } from '../../../../database/lists/cached-pages.ts';
import { lookUpNames, type NameSearch } from '../../../../database/lists/name-searches.ts';
import { foldedContains } from '../../../../database/text.ts';
import type { Membership } from '../../../../identity/membership.ts';
import type { SiteRow } from '../../../spaces/publications/rows.ts';

/** Maximum number of sites that match a filter, or that do not, for reading their IDs. */
export const MAX_MATCHING_IDS = 500;

/** Conditions on the sites of an organization. */
export interface SiteConditions {
  /** Text that the title contains. */
  title?: string | undefined;
  published?: boolean | undefined;
  type?: readonly SiteRow['type'][] | undefined;
}

/** Sites of an organization, with their IDs if they are few. */
interface CountedSites {
  count: number;
  ids: readonly string[] | undefined;
}

/** Creates the conditions of a filter on sites, or on changes of sites. */
export function conditionsOn(
  queries: Queries,
  table: 'sites' | 'nameChanges',
  { title, published, type = [] }: SiteConditions,
): Expression<SqlBool>[] {
  const [isPublished, typeOfSite] =
    table === 'sites'
      ? ['sites.published', 'sites.type']
      : ['nameChanges.isPublished', 'nameChanges.siteType'];
  return [
    ...(title === undefined ? [] : [foldedContains(queries, `${table}.searchedText`, title)]),
    ...(published === undefined ? [] : [sql<SqlBool>`${sql.ref(isPublished)} = ${flag(published)}`]),
    ...(type.length === 0 ? [] : [sql<SqlBool>`${sql.ref(typeOfSite)} in (${sql.join(type)})`]),
  ];
}

/**
 * Creates the search for the sites that match a filter and are visible to a guest.
 *
 * @param options.isVisible condition that the site with an ID is visible
 * @param options.version version of what is visible
 */
export const visibleMatches = (
  queries: Queries,
  { organization, user }: Membership,
  conditions: SiteConditions,
  { isVisible, version }: { isVisible: (site: RawBuilder<string>) => RawBuilder<SqlBool>; version: string },
): NameSearch => ({
  organization,
  names: 'sites',
  // As long as what is visible is unchanged, so is whether a site is, and each change of a title counts for itself.
  key: `visible sites ${JSON.stringify([user, keyOf(conditions), version])}`,
  matches: sql<SqlBool>`(
    ${allOf(conditionsOn(queries, 'nameChanges', conditions))} and ${isVisible(sql.ref('nameChanges.id'))})`,
});

/** Finds the sites of an organization that match a filter. Their count is cached, and adjusted after changes. */
export const matchingSites = (
  queries: Queries,
  organization: string,
  conditions: SiteConditions,
): Promise<CountedSites> =>
  find(queries, organization, JSON.stringify(['matching', keyOf(conditions)]), (table) =>
    allOf(conditionsOn(queries, table, conditions)),
  );

/** Finds the sites of an organization that do not match a filter, as {@link matchingSites}. */
export const otherSites = (
  queries: Queries,
  organization: string,
  conditions: SiteConditions,
): Promise<CountedSites> =>
  find(
    queries,
    organization,
    JSON.stringify(['other', keyOf(conditions)]),
    (table) => sql<SqlBool>`not ${allOf(conditionsOn(queries, table, conditions))}`,
  );

const allOf = (conditions: readonly Expression<SqlBool>[]) =>
  sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;

const keyOf = ({ title, published, type = [] }: SiteConditions) => [
  title === undefined ? null : fold(title),
  published ?? null,
  [...new Set(type)].sort(),
];

async function find(
  queries: Queries,
  organization: string,
  filter: string,
  conditionOn: (table: 'sites' | 'nameChanges') => Expression<SqlBool>,
): Promise<CountedSites> {
  const key = `sites ${filter}`;
  const search: NameSearch = { organization, names: 'sites', key, matches: conditionOn('nameChanges') };
  const lookup = await lookUpNames(queries, search);
  const sites = queries
    .selectFrom('sites')
    .where('sites.organization', '=', organization)
    .where(conditionOn('sites'));
  let { count } = lookup;
  if (count === undefined) {
    const counted = sites.select(({ fn }) => fn.countAll<number>().as('count'));
    count = (await counted.executeTakeFirstOrThrow()).count;
    await lookup.store(count);
  }
  if (count > MAX_MATCHING_IDS) {
    return { count, ids: undefined };
  }
  const read = async () => {
    const rows = await sites.select('sites.id').execute();
    return { items: rows.map(({ id }) => id), count: rows.length };
  };
  const { version } = lookup;
  const { items } =
    version === undefined
      ? await read()
      : await cachedPage(queries, { key: JSON.stringify([organization, key]), version }, read);
  return { count: items.length, ids: items };
}
