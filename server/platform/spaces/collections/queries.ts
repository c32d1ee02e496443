import type { Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import type { CollectionsTable } from '../../../database/schema/spaces/collections.ts';
import { notFound } from '../../../errors/errors.ts';
import { type Access, findAccess } from '../../../identity/access.ts';
import type { CallerId } from '../../../identity/caller.ts';
import type { CollectionPermission } from '../../../identity/permissions.ts';
import { requireCollectionPermission } from '../../../identity/permissions.ts';

/** A collection with the caller's access. */
export interface CollectionWithAccess {
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
): Promise<CollectionWithAccess> {
  const row = await queries.selectFrom('collections').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('collection');
  }
  const access = await accessToCollection(queries, caller, row);
  requireCollectionPermission(access.onCollection(row), permission);
  return { row, access };
}

/**
 * Finds the caller's access to a collection.
 *
 * @throws ContractError 404 if the caller may not use its organization
 */
export async function accessToCollection(
  queries: Queries,
  caller: CallerId,
  row: Selectable<CollectionsTable>,
): Promise<Access> {
  const target = { kind: 'collection', resources: [row] } as const;
  const access = await findAccess(queries, caller, row.organization, target);
  if (!access) {
    throw notFound('collection');
  }
  return access;
}
