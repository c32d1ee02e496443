import type { Selectable } from 'kysely';
import { batches } from '../../../database/batches.ts';
import type { Queries } from '../../../database/database.ts';
import { notIndexed } from '../../../database/lookups.ts';
import type { SpacesTable } from '../../../database/schema/spaces/spaces.ts';
import { fieldInvalid, permissionMissing } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { includesLevel } from '../../../identity/levels.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';

/** Spaces that one statement reads. */
const SPACES_PER_STATEMENT = 500;

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

/** Reads the spaces of a site by ID. Deleted ones are omitted. */
export async function readSpaces(
  queries: Queries,
  ids: readonly string[],
): Promise<Map<string, ReadingSpace>> {
  const spaces = new Map<string, ReadingSpace>();
  for (const batch of batches([...new Set(ids)], SPACES_PER_STATEMENT)) {
    const rows = await queries
      .selectFrom('spaces')
      .select(READING_COLUMNS)
      .where('id', 'in', batch)
      .where(notIndexed('deletedAt'), 'is', null)
      .orderBy('id')
      .execute();
    for (const row of rows) {
      spaces.set(row.id, row);
    }
  }
  return spaces;
}

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
