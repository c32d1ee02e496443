import type { Queries } from '../../../database/database.ts';
import { fieldInvalid } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { type Membership, requireInOrganization } from '../../../identity/membership.ts';
import { collectionFor } from '../collections/queries.ts';
import type { Parent } from './queries.ts';

/**
 * Requires the permission to create content in a collection or at the root (null) of an organization, for creating a
 * resource there or moving one into or out of it.
 *
 * @param field the field of the body that identifies the collection
 * @returns the caller's membership in the organization
 * @throws ContractError 404 or 403; 400 for a collection of another organization
 */
export async function requireCreatePermission(
  queries: Queries,
  caller: CallerId,
  { organization, parent }: Parent,
  field = 'parent',
): Promise<Membership> {
  if (parent === null) {
    return await requireInOrganization(queries, caller, organization, 'createContent');
  }
  const { row, access } = await collectionFor(queries, caller, parent, 'create');
  if (row.organization !== organization) {
    throw fieldInvalid(
      field,
      'must be a collection of the same organization. Use a transfer to move to another one',
    );
  }
  return access;
}
