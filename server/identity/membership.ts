import type { Expression, ExpressionBuilder, ExpressionWrapper, Selectable, SqlBool } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { UsersTable } from '../database/schema/accounts/users.ts';
import type { Schema } from '../database/schema.ts';
import { type ParametersOf, statement } from '../database/statement.ts';
import { notFound, permissionMissing } from '../errors/errors.ts';
import type { CallerId } from './caller.ts';
import type { InstallationResource } from './installation-scopes.ts';
import { findInstallationRights, type InstallationRights, isInstallation } from './installations.ts';
import type { Role } from './levels.ts';
import { type OrganizationPermission, organizationPermissions } from './permissions.ts';

/** A user's membership in an organization. */
export interface Membership {
  user: string;
  organization: string;
  /** Undefined for a guest. */
  role: Role | undefined;
  /** The rights of an installation, which has no role; undefined for a user. */
  installation?: InstallationRights;
}

/**
 * Condition that a member may use the organization: the member is not disabled and, if the organization enforces SSO,
 * has SSO. Its admins need no SSO, so that they can fix the configuration.
 */
export function isActiveMember(
  row: ExpressionBuilder<Schema, 'members' | 'organizations'>,
): ExpressionWrapper<Schema, 'members' | 'organizations', SqlBool> {
  return row.and([
    row('members.disabled', '=', 0),
    row.or([row('organizations.sso', '=', 0), row('members.sso', '=', 1), row('members.role', '=', 'admin')]),
  ]);
}

/** Selects the membership of a user who may use an organization. */
export const selectMembership = (
  queries: Queries,
  user: string | Expression<string>,
  organization: string | Expression<string>,
) =>
  queries
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organization')
    .where('members.organization', '=', organization)
    .where('members.user', '=', user)
    .where(isActiveMember);

/** Finds the membership of a user. */
const findMember = statement(
  (queries, { user, organization }: ParametersOf<{ user: string; organization: string }>) =>
    selectMembership(queries, user, organization).select('members.role').compile(),
);

/** Finds the first admin who may use an organization. */
export const findAdmin = (
  queries: Queries,
  organization: string,
): Promise<Selectable<UsersTable> | undefined> =>
  queries
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user')
    .selectAll('users')
    .where('members.organization', '=', organization)
    .where('members.role', '=', 'admin')
    .where('members.disabled', '=', 0)
    .orderBy('users.id')
    .limit(1)
    .executeTakeFirst();

/** Finds the membership of a user or an installation. Returns undefined if it may not use the organization. */
export async function findMembership(
  queries: Queries,
  user: string,
  organization: string,
): Promise<Membership | undefined> {
  if (isInstallation(user)) {
    const installation = await findInstallationRights(queries, user, organization);
    return installation && { user, organization, role: undefined, installation };
  }
  const member = await findMember.first(queries, { user, organization });
  return member && { user, organization, role: member.role ?? undefined };
}

/**
 * Returns the caller's membership in an organization.
 *
 * @throws ContractError 404 if the caller is not a member or may not use the organization
 */
export async function requireMember(
  queries: Queries,
  caller: CallerId,
  organization: string,
): Promise<Membership> {
  const member = await findMembership(queries, caller, organization);
  if (!member) {
    throw notFound('organization');
  }
  return member;
}

/**
 * Requires a permission in an organization. Returns the caller's membership.
 *
 * @throws ContractError 404 if the caller may not use the organization, 403 without the permission
 */
export async function requireInOrganization(
  queries: Queries,
  caller: CallerId,
  organization: string,
  permission: OrganizationPermission,
): Promise<Membership> {
  const member = await requireMember(queries, caller, organization);
  requireOrganizationPermission(member, permission);
  return member;
}

/** Returns the role of a member for a kind of resource: that of an installation follows from its scopes. */
export const roleFor = (
  { role, installation }: Membership,
  resource: InstallationResource,
): Role | undefined => (installation ? installation.levels[resource] : role);

/**
 * Requires a permission of a member in the organization.
 *
 * @throws ContractError 403 without the permission
 */
export function requireOrganizationPermission(
  { role }: Pick<Membership, 'role'>,
  permission: OrganizationPermission,
): void {
  if (!organizationPermissions(role)[permission]) {
    throw permissionMissing('organization', permission);
  }
}
