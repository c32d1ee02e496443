import type { components } from '../../../generated/schema.d.ts';
import type { Transaction } from '../../database/database.ts';
import { lastAdmin } from '../../errors.ts';
import { requireInOrganization, requireMember } from '../../identity/access.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { roleName } from '../../models/audit-events/record.ts';
import { type MemberRow, memberOf } from '../../models/members/queries.ts';
import type { Context } from '../kit/slice.ts';

/**
 * Changes the role of a member.
 *
 * @throws ContractError 409 if the organization would have no admin left
 */
export async function updateMember(
  trx: Transaction,
  { caller, audit }: Context,
  organization: string,
  user: string,
  { role }: components['schemas']['MemberPatch'],
): Promise<void> {
  await requireInOrganization(trx, caller.id, organization, 'admin');
  const member = await memberOf(trx, organization, user);
  if (role === undefined || role === member.role) {
    return;
  }
  if (role !== 'admin') {
    await requireOtherAdmin(trx, member);
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
    details: { before: roleName(member.role), after: roleName(role) },
  });
}

/**
 * Removes a member with their grants and team memberships in the organization. Members can remove themselves, admins
 * anyone.
 *
 * @throws ContractError 409 if the organization would have no admin left
 */
export async function deleteMember(
  trx: Transaction,
  context: Context,
  organization: string,
  user: string,
): Promise<void> {
  const caller = context.caller.id;
  const member = await unlessNotFound(
    requireMember(trx, caller, organization).then(() => memberOf(trx, organization, user)),
  );
  if (!member) {
    return;
  }
  if (user !== caller) {
    await requireInOrganization(trx, caller, organization, 'admin');
  }
  await requireOtherAdmin(trx, member);
  await trx
    .deleteFrom('grants')
    .where('organization', '=', organization)
    .where('subjectKind', '=', 'user')
    .where('subject', '=', user)
    .execute();
  for (const table of ['teamMembers', 'members'] as const) {
    await trx.deleteFrom(table).where('organization', '=', organization).where('user', '=', user).execute();
  }
  await context.audit(trx, {
    organization,
    action: 'member.removed',
    resource: { type: 'user', id: user },
    details: { before: roleName(member.role) },
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

/** Records that a member was active. */
export async function markSeen(
  trx: Transaction,
  caller: string,
  organization: string,
  now: Date,
): Promise<void> {
  await requireMember(trx, caller, organization);
  await trx
    .updateTable('members')
    .set({ lastSeenAt: now.toISOString() })
    .where('organization', '=', organization)
    .where('user', '=', caller)
    .execute();
}

/** Requires a member to sign in through the organization's SAML provider. */
export async function enableMemberSso(
  trx: Transaction,
  { caller, audit }: Context,
  organization: string,
  user: string,
): Promise<void> {
  await requireInOrganization(trx, caller.id, organization, 'admin');
  const { sso } = await memberOf(trx, organization, user);
  if (sso === 1) {
    return;
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
}
