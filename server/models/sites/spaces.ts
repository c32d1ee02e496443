import type { Selectable } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { SpacesTable } from '../../database/schema/spaces.ts';
import { fieldInvalid, permissionMissing } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { includesLevel } from '../../identity/levels.ts';
import { spaceFor } from '../spaces/queries.ts';

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
  const found = await unlessNotFound(spaceFor(queries, caller, space, 'view'));
  if (!found || found.row.organization !== organization) {
    throw fieldInvalid(field, 'must be the ID of a space of the organization');
  }
  if (!includesLevel(found.access.onSpace(found.row).level, 'create')) {
    throw permissionMissing('space', 'create');
  }
  return found.row;
}
