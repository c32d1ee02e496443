import type { Expression } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import { isOneOf } from '../../../database/lookups.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';

/** Maximum number of spaces in the space map of an organization. */
export const MAX_MAPPED_SPACES = 1000;

/** Spaces by the ID that they had on the platform that they were moved from. */
export type SpaceMap = ReadonlyMap<string, string>;

/** A space map as it is stored. */
export interface StoredSpaceMap {
  spaces: SpaceMap;
  version: number;
  updatedAt: string;
}

/** Finds the space map of an organization. */
export async function findSpaceMap(
  queries: Queries,
  organization: string,
): Promise<StoredSpaceMap | undefined> {
  const row = await queries
    .selectFrom('spaceMaps')
    .select(['spaces', 'version', 'updatedAt'])
    .where('organization', '=', organization)
    .executeTakeFirst();
  return row && { ...row, spaces: new Map(readJson(row.spaces)) };
}

/** Returns a number that changes with the space map of an organization. */
export async function spaceMapVersion(queries: Queries, organization: string): Promise<number> {
  const row = await findVersion.first(queries, { organization });
  return row?.version ?? 0;
}

/** Selects the number that {@link spaceMapVersion} returns. */
export const selectSpaceMapVersion = (queries: Queries, organization: Expression<string>) =>
  queries.selectFrom('spaceMaps').select('version').where('spaceMaps.organization', '=', organization);

const findVersion = statement((queries, { organization }: ParametersOf<{ organization: string }>) =>
  selectSpaceMapVersion(queries, organization).compile(),
);

/** Returns those of some IDs that are spaces of an organization. */
export async function spacesAmong(
  queries: Queries,
  organization: string,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('spaces')
    .select('id')
    .where(isOneOf(queries, 'spaces.id', [...new Set(ids)]))
    .where('organization', '=', organization)
    .where('deletedAt', 'is', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
