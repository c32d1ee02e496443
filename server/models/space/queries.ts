import type { Selectable } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { SpacesTable } from '../../database/schema.ts';
import { type Access, findAccess, requireOnSpace } from '../../identity/access.ts';
import { invisible } from '../../identity/errors.ts';
import { type SpacePermission, spacePermissions } from '../../identity/permissions.ts';

/** A space with the access of who asks for it. */
export interface FoundSpace {
  row: Selectable<SpacesTable>;
  access: Access;
}

/**
 * The space that a user names, if they may do what `permission` says to it. A deleted space does not exist,
 * except for its admins where `deleted` asks for it too (additions, space deletion).
 *
 * @throws AccessError `invisible` where it does not exist for them, `forbidden` where they lack the permission
 */
export async function spaceFor(
  queries: Queries,
  user: string,
  id: string,
  permission: SpacePermission,
  options: { deleted?: boolean } = {},
): Promise<FoundSpace> {
  const row = await queries.selectFrom('spaces').selectAll().where('id', '=', id).executeTakeFirst();
  const access = row && (await findAccess(queries, user, row.organization));
  if (!row || !access) throw invisible('space');
  const standing = access.onSpace(row);
  const restorable = options.deleted && spacePermissions(standing).admin;
  if (row.deletedAt !== null && !restorable) throw invisible('space');
  requireOnSpace(standing, permission);
  return { row, access };
}
