import type { Expression, Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { isOneOf, notIndexed } from '../../../database/lookups.ts';
import type { SpacesTable } from '../../../database/schema/spaces/spaces.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import { fieldInvalid, permissionMissing } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { includesLevel } from '../../../identity/levels.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';

const READING_COLUMNS = [
  'id',
  'organization',
  'title',
  'emoji',
  'icon',
  'language',
  'contentLanguage',
  'revision',
  'git',
  'updatedAt',
] as const;

/** A space of a site, as its readers see it. */
export type ReadingSpace = Pick<Selectable<SpacesTable>, (typeof READING_COLUMNS)[number]>;

/** Selects the space of each site space of a site. Deleted ones are omitted. */
export const selectReadingSpaces = (queries: Queries, site: Expression<string>) =>
  queries
    .selectFrom('siteSpaces')
    // Not reordered by SQLite.
    .crossJoin('spaces')
    .whereRef('spaces.id', '=', 'siteSpaces.space')
    .select(READING_COLUMNS.map((column) => `spaces.${column}` as const))
    .where('siteSpaces.site', '=', site)
    .where('spaces.deletedAt', 'is', null);

/** Reads spaces as readers see them, by ID. Deleted ones are omitted. */
export async function readSpaces(
  queries: Queries,
  ids: readonly string[],
): Promise<Map<string, ReadingSpace>> {
  const rows = await findReadingSpaces.rows(queries, { ids: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.id, row]));
}

const findReadingSpaces = statement((queries, { ids }: ParametersOf<{ ids: readonly string[] }>) =>
  queries
    .selectFrom('spaces')
    .select(READING_COLUMNS)
    .where(isOneOf(queries, 'id', ids))
    .where(notIndexed('deletedAt'), 'is', null)
    .orderBy('id')
    .compile(),
);

/**
 * Finds a space to show on a site of its organization. Requires the level `create` on it, because the site can make it
 * visible to everyone.
 *
 * @param field the field of the body that names the space
 * @throws ContractError 400 if it does not exist for the caller or in the organization, 403 if the level is missing
 */
export async function requireShowableSpace(
  queries: Queries,
  caller: CallerId,
  { organization, space, field }: { organization: string; space: string; field: string },
): Promise<Selectable<SpacesTable>> {
  const visible = await unlessNotFound(spaceFor(queries, caller, space, 'view'));
  if (!visible || visible.row.organization !== organization) {
    throw fieldInvalid(field, 'must be the ID of a space of the organization');
  }
  if (!includesLevel(visible.access.onSpace(visible.row).level, 'create')) {
    throw permissionMissing('space', 'create');
  }
  return visible.row;
}
