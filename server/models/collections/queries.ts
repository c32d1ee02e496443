import type { Selectable } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { CollectionsTable } from '../../database/schema/collections.ts';
import { notFound } from '../../errors.ts';
import { type Access, findAccess, requireOnCollection } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import type { CollectionPermission } from '../../identity/permissions.ts';

/** A collection with the caller's access. */
export interface FoundCollection {
  row: Selectable<CollectionsTable>;
  access: Access;
}

/**
 * Finds a collection, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function collectionFor(
  queries: Queries,
  caller: CallerId,
  id: string,
  permission: CollectionPermission,
): Promise<FoundCollection> {
  const row = await queries.selectFrom('collections').selectAll().where('id', '=', id).executeTakeFirst();
  const access =
    row && (await findAccess(queries, caller, row.organization, [{ kind: 'collection', placed: row }]));
  if (!row || !access) {
    throw notFound('collection');
  }
  requireOnCollection(access.onCollection(row), permission);
  return { row, access };
}
