/** What the pages of a site depend on, in one statement: nearly every request of a site begins with it. */
import { sql } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { type JsonText, readJson } from '../../../database/json.ts';
import { jsonRows } from '../../../database/json-rows.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import { selectSpecsVersion } from '../../content/openapi-specs/queries.ts';
import { selectSpaceMapVersion } from '../../content/references/space-map.ts';
import { type SiteNames, selectPublishedSite } from '../../spaces/publications/published.ts';
import type { SiteRow } from '../../spaces/publications/rows.ts';
import { type ShownInstallation, selectShownInstallations } from '../site-integrations/find.ts';
import { type ReadingSpace, selectReadingSpaces } from '../structure/spaces.ts';

/** What the pages of a site depend on, besides its row, its structure and their visitor. */
export interface SiteState {
  /** The spaces that it shows, by ID. Deleted ones are absent. */
  spaces: ReadonlyMap<string, ReadingSpace>;
  /** Changes with the latest versions of the OpenAPI specifications of the organization. */
  specificationsVersion: number;
  /** Changes with the space map of the organization. */
  spaceMapVersion: number;
  /** Installations that can show something. */
  installations: readonly ShownInstallation[];
}

/** Finds the published site with some names, and its state. */
export async function findReadingSite(
  queries: Queries,
  names: SiteNames,
): Promise<{ site: SiteRow; state: SiteState } | undefined> {
  const row = await findSiteWithState.first(queries, names);
  if (!row) {
    return undefined;
  }
  const { spaces, specificationsVersion, spaceMapVersion, installations, ...site } = row;
  return { site, state: stateOf({ spaces, specificationsVersion, spaceMapVersion, installations }) };
}

/** Reads the state of a site. */
export async function readSiteState(queries: Queries, { id }: SiteRow): Promise<SiteState> {
  const row = await findState.first(queries, { id });
  if (!row) {
    throw new Error(`The site ${id} does not exist.`);
  }
  return stateOf(row);
}

const findSiteWithState = statement((queries, names: ParametersOf<SiteNames>) =>
  selectPublishedSite(queries, names).select(stateColumns(queries)).compile(),
);

const findState = statement((queries, { id }: ParametersOf<{ id: string }>) =>
  queries.selectFrom('sites').select(stateColumns(queries)).where('sites.id', '=', id).compile(),
);

/** Returns the columns of the state of a site. */
function stateColumns(queries: Queries) {
  const site = sql.ref<string>('sites.id');
  const organization = sql.ref<string>('sites.organization');
  return [
    jsonRows(queries, selectReadingSpaces(queries, site)).as('spaces'),
    sql<number>`${selectSpecsVersion(queries, organization)}`.as('specificationsVersion'),
    sql<number | null>`${selectSpaceMapVersion(queries, organization)}`.as('spaceMapVersion'),
    jsonRows(queries, selectShownInstallations(queries, organization)).as('installations'),
  ] as const;
}

interface StateColumns {
  spaces: JsonText<ReadingSpace[]>;
  specificationsVersion: number;
  spaceMapVersion: number | null;
  installations: JsonText<ShownInstallation[]>;
}

const stateOf = ({
  spaces,
  specificationsVersion,
  spaceMapVersion,
  installations,
}: StateColumns): SiteState => ({
  spaces: new Map(readJson(spaces).map((space) => [space.id, space])),
  specificationsVersion,
  spaceMapVersion: spaceMapVersion ?? 0,
  installations: readJson(installations),
});
