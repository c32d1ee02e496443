import type { Selectable } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { CollectionsTable } from '../../database/schema.ts';
import { type Access, findAccess, requireOnCollection } from '../../identity/access.ts';
import { invisible } from '../../identity/errors.ts';
import type { CollectionPermission } from '../../identity/permissions.ts';

/** A collection with the access of who asks for it. */
export interface FoundCollection {
  row: Selectable<CollectionsTable>;
  access: Access;
}

/**
 * The collection that a user names, if they may do what `permission` says to it.
 *
 * @throws AccessError `invisible` where it does not exist for them, `forbidden` where they lack the permission
 */
export async function collectionFor(
  queries: Queries,
  user: string,
  id: string,
  permission: CollectionPermission,
): Promise<FoundCollection> {
  const row = await queries.selectFrom('collections').selectAll().where('id', '=', id).executeTakeFirst();
  const access =
    row && (await findAccess(queries, user, row.organization, [{ kind: 'collection', placed: row }]));
  if (!row || !access) throw invisible('collection');
  requireOnCollection(access.onCollection(row), permission);
  return { row, access };
}
