import type { Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { OrganizationsTable } from '../../../database/schema/accounts/organizations.ts';
import { containsText } from '../../../database/text.ts';
import type { CallerId } from '../../../identity/caller.ts';
import type { Role } from '../../../identity/levels.ts';
import { isActiveMember, requireInOrganization } from '../../../identity/membership.ts';
import type { OrganizationPermission } from '../../../identity/permissions.ts';

/** An organization with the role of a member. */
export interface OrganizationWithRole {
  row: Selectable<OrganizationsTable>;
  role: Role | null;
}

/**
 * Finds an organization, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function organizationFor(
  queries: Queries,
  caller: CallerId,
  id: string,
  permission: OrganizationPermission,
): Promise<OrganizationWithRole> {
  const { role } = await requireInOrganization(queries, caller, id, permission);
  const row = await queries
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { row, role: role ?? null };
}

/** Finds the ID of the organization with a hostname. */
export async function findOrganizationByHostname(
  queries: Queries,
  hostname: string,
): Promise<string | undefined> {
  const row = await queries
    .selectFrom('organizations')
    .select('id')
    .where('hostname', '=', hostname)
    .executeTakeFirst();
  return row?.id;
}

/** Selects the organizations that the caller is a member of and may use, with the caller's role. */
export function organizationsOf(queries: Queries, caller: CallerId) {
  return queries
    .selectFrom('organizations')
    .innerJoin('members', 'members.organization', 'organizations.id')
    .selectAll('organizations')
    .select('members.role')
    .where('members.user', '=', caller)
    .where(isActiveMember);
}

/** Maximum number of organizations that are found by an email domain: the list has no pages. */
export const MAX_DOMAIN_ORGANIZATIONS = 1000;

/** Lists the oldest organizations of the caller that have an email domain. */
export async function listOrganizationsOfDomain(queries: Queries, caller: CallerId, emailDomain: string) {
  const domain = emailDomain.toLowerCase();
  const candidates = await organizationsOf(queries, caller)
    // Preselects by substring of the JSON text: its elements are in quotation marks.
    .where(containsText('organizations.emailDomains', JSON.stringify(domain)))
    .orderBy('organizations.createdAt')
    .orderBy('organizations.id')
    .limit(MAX_DOMAIN_ORGANIZATIONS)
    .execute();
  return candidates.filter(({ emailDomains }) =>
    readJson(emailDomains).some((candidate) => candidate.toLowerCase() === domain),
  );
}
