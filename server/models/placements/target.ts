import type { Queries } from '../../database/database.ts';
import type { Access } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import type { CollectionPermission, SpacePermission } from '../../identity/permissions.ts';
import { collectionFor } from '../collections/queries.ts';
import { spaceFor } from '../spaces/queries.ts';

/** A space or a collection: what levels are granted on. */
export interface Thing {
  kind: 'space' | 'collection';
  id: string;
}

/**
 * The access of a user who names a space or a collection, if they may do what `permission` says to it.
 *
 * @throws ContractError 404 if it does not exist for the user, 403 if the user lacks the permission
 */
export async function accessToThing(
  queries: Queries,
  caller: CallerId,
  { kind, id }: Thing,
  permission: SpacePermission & CollectionPermission,
): Promise<Access> {
  const find = kind === 'space' ? spaceFor : collectionFor;
  return (await find(queries, caller, id, permission)).access;
}
