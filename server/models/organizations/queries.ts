import type { Selectable } from 'kysely';
import type { Queries } from '../../database/database.ts';
import type { OrganizationsTable } from '../../database/schema/organizations.ts';
import { isLetIn, requireInOrganization } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import type { Role } from '../../identity/levels.ts';
import type { OrganizationPermission } from '../../identity/permissions.ts';

/** An organization with the role that its member has there. */
export interface FoundOrganization {
  row: Selectable<OrganizationsTable>;
  role: Role | null;
}

/**
 * The organization that a user names, if they may do what `permission` says to it.
 *
 * @throws ContractError 404 if it does not exist for the user, 403 if the user lacks the permission
 */
export async function organizationFor(
  queries: Queries,
  caller: CallerId,
  id: string,
  permission: OrganizationPermission,
): Promise<FoundOrganization> {
  const role = await requireInOrganization(queries, caller, id, permission);
  const row = await queries
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { row, role: role ?? null };
}

/** The organizations that a user belongs to and is let into, with their role there. */
export function organizationsOf(queries: Queries, user: string) {
  return queries
    .selectFrom('organizations')
    .innerJoin('members', 'members.organization', 'organizations.id')
    .selectAll('organizations')
    .select('members.role')
    .where('members.user', '=', user)
    .where(isLetIn);
}
