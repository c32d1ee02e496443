import type { Queries } from '../../../database/database.ts';
import type { Access } from '../../../identity/access.ts';
import type { CallerId } from '../../../identity/caller.ts';
import type { CollectionPermission, SpacePermission } from '../../../identity/permissions.ts';
import { collectionFor } from '../collections/queries.ts';
import { spaceFor } from '../spaces/queries.ts';

/** A space or a collection that levels can be granted on. */
export interface SpaceOrCollection {
  kind: 'space' | 'collection';
  id: string;
}

/**
 * Finds the caller's access to a space or a collection, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function accessFor(
  queries: Queries,
  caller: CallerId,
  { kind, id }: SpaceOrCollection,
  permission: SpacePermission & CollectionPermission,
): Promise<Access> {
  const find = kind === 'space' ? spaceFor : collectionFor;
  return (await find(queries, caller, id, permission)).access;
}
