import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { flag } from '../../../database/json.ts';
import { lastAdmin } from '../../../errors/errors.ts';
import type { Caller } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import {
  requireInOrganization,
  requireMember,
  requireOrganizationPermission,
} from '../../../identity/membership.ts';
import { roleName } from '../../kit/audit/record.ts';
import type { Context } from '../../kit/slice.ts';
import { type MemberName, type MemberRow, type MemberWithAccess, memberOf } from './queries.ts';

/**
 * Changes the role of a member. Returns the member, and the caller's membership before the change.
 *
 * @throws ContractError 409 if the organization would have no admin left
 */
export async function updateMember(
  trx: Transaction,
  { caller, audit }: Context,
  { organization, user, role }: MemberName & components['schemas']['MemberPatch'],
): Promise<MemberWithAccess> {
  const access = await requireInOrganization(trx, caller.id, organization, 'admin');
  const row = await memberOf(trx, { organization, user });
  if (role === undefined || role === row.role) {
    return { row, access };
  }
  if (role !== 'admin') {
    await requireOtherAdmin(trx, row);
  }
  await trx
    .updateTable('members')
    .set({ role })
    .where('organization', '=', organization)
    .where('user', '=', user)
    .execute();
  await audit(trx, {
    organization,
    action: 'member.role_changed',
    resource: { type: 'user', id: user },
    details: { before: roleName(row.role), after: roleName(role) },
  });
  return { row: { ...row, role }, access };
}

/**
 * Removes a member with their grants, team memberships and requested reviews in the organization. Members can remove
 * themselves, admins anyone.
 *
 * @throws ContractError 409 if the organization would have no admin left
 */
export async function deleteMember(
  trx: Transaction,
  { caller, audit }: Context,
  { organization, user }: MemberName,
): Promise<void> {
  const member = await unlessNotFound(memberFor(trx, caller, { organization, user }));
  if (!member) {
    return;
  }
  if (user !== caller.id) {
    requireOrganizationPermission(member.access, 'admin');
  }
  await requireOtherAdmin(trx, member.row);
  await trx
    .deleteFrom('grants')
    .where('organization', '=', organization)
    .where('subjectKind', '=', 'user')
    .where('subject', '=', user)
    .execute();
  await trx
    .deleteFrom('requestedReviewers')
    .where('organization', '=', organization)
    .where('reviewer', '=', user)
    .execute();
  for (const table of ['teamMembers', 'members'] as const) {
    await trx.deleteFrom(table).where('organization', '=', organization).where('user', '=', user).execute();
  }
  await audit(trx, {
    organization,
    action: 'member.removed',
    resource: { type: 'user', id: user },
    details: { before: roleName(member.row.role) },
  });
}

/**
 * Throws if a member is the only admin who is not disabled. A disabled admin can always be removed, because the caller
 * is another admin.
 */
async function requireOtherAdmin(trx: Transaction, member: MemberRow): Promise<void> {
  if (member.role !== 'admin') {
    return;
  }
  const other = await trx
    .selectFrom('members')
    .select('user')
    .where('organization', '=', member.organization)
    .where('role', '=', 'admin')
    .where('disabled', '=', 0)
    .where('user', '!=', member.user)
    .executeTakeFirst();
  if (!other) {
    throw lastAdmin();
  }
}

/** Records that the caller was active in an organization. */
export async function recordActivity(
  trx: Transaction,
  { caller, clock }: Context,
  { organization }: { organization: string },
): Promise<void> {
  await requireMember(trx, caller.id, organization);
  await trx
    .updateTable('members')
    .set({ lastSeenAt: clock().toISOString() })
    .where('organization', '=', organization)
    .where('user', '=', caller.id)
    .execute();
}

/**
 * Requires a member to sign in through the organization's SAML provider. Returns the member, and the caller's
 * membership.
 */
export async function enableMemberSso(
  trx: Transaction,
  { caller, audit }: Context,
  { organization, user }: MemberName,
): Promise<MemberWithAccess> {
  const access = await requireInOrganization(trx, caller.id, organization, 'admin');
  const row = await memberOf(trx, { organization, user });
  if (row.sso === 1) {
    return { row, access };
  }
  await trx
    .updateTable('members')
    .set({ sso: 1 })
    .where('organization', '=', organization)
    .where('user', '=', user)
    .execute();
  await audit(trx, {
    organization,
    action: 'member.sso_enabled',
    resource: { type: 'user', id: user },
  });
  return { row: { ...row, sso: flag(true) }, access };
}

async function memberFor(
  trx: Transaction,
  caller: Caller,
  { organization, user }: MemberName,
): Promise<MemberWithAccess> {
  const access = await requireMember(trx, caller.id, organization);
  return { row: await memberOf(trx, { organization, user }), access };
}
