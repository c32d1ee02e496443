import type { components } from '../../../../../generated/schema.d.ts';
import type { Transaction } from '../../../../database/database.ts';
import { flag } from '../../../../database/json.ts';
import type { Role } from '../../../../identity/levels.ts';
import { addMember } from '../../../../identity/organizations.ts';
import { organizationFor } from '../../../accounts/organizations/queries.ts';
import { memberAddedEvent, roleName } from '../../../kit/audit/record.ts';
import type { Context } from '../../../kit/slice.ts';

type Schemas = components['schemas'];

/** An email address to invite, and the membership that the invitation gives. */
interface Invitation {
  organization: string;
  email: string;
  role: Role | null;
  sso: boolean;
}

/**
 * Invites people by email address. Existing users become members immediately, and existing members are unchanged; for
 * an unknown email address, an invitation is stored. Of duplicate addresses, the first is used.
 *
 * @throws ContractError 403 if the organization would have too many members: then no one is invited
 */
export async function inviteUsers(
  trx: Transaction,
  ctx: Context,
  { organization, emails, role, sso = false }: { organization: string } & Schemas['InviteUsers'],
): Promise<Schemas['InvitedUsers']> {
  const { row } = await organizationFor(trx, ctx.caller.id, organization, 'admin');
  const fallbackRole = role === undefined ? row.defaultRole : role;
  const invitations = new Map<string, Invitation>();
  for (const invitee of emails) {
    const { email, role } = typeof invitee === 'string' ? { email: invitee, role: fallbackRole } : invitee;
    const key = email.toLowerCase();
    if (!invitations.has(key)) {
      invitations.set(key, { organization, email: key, role, sso });
    }
  }
  const users: string[] = [];
  const failed: string[] = [];
  let invited = 0;
  for (const invitation of invitations.values()) {
    const user = await trx
      .selectFrom('users')
      .leftJoin('members', (join) =>
        join.onRef('members.user', '=', 'users.id').on('members.organization', '=', organization),
      )
      .select(['users.id', 'members.sso'])
      .where('users.email', '=', invitation.email)
      .executeTakeFirst();
    if (user) {
      users.push(user.id);
    }
    if (user && user.sso !== null) {
      if (sso && user.sso === 0) {
        failed.push(invitation.email);
      }
      continue;
    }
    invited++;
    if (user) {
      await addMember(trx, ctx.quotas, { ...invitation, user: user.id, now: ctx.clock() });
      await ctx.audit(trx, memberAddedEvent(organization, user.id, invitation.role));
    } else {
      await storeInvitation(trx, ctx, invitation);
    }
  }
  return { users, invited, ...(failed.length > 0 && { failedSSOEmails: failed }) };
}

/** Stores an invitation for an unknown email address, replacing a pending one. */
async function storeInvitation(
  trx: Transaction,
  { caller, audit, clock, createId }: Context,
  { organization, email, role, sso }: Invitation,
): Promise<void> {
  const pending = await trx
    .selectFrom('invites')
    .select(['id', 'role', 'sso'])
    .where('organization', '=', organization)
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .executeTakeFirst();
  const id = pending?.id ?? createId('inv');
  if (pending?.role === role && pending.sso === flag(sso)) {
    return;
  }
  await audit(trx, {
    organization,
    action: pending ? 'invite.changed' : 'invite.created',
    resource: { type: 'invite', id },
    details: { ...(pending && { before: roleName(pending.role) }), after: roleName(role) },
  });
  if (pending) {
    await trx
      .updateTable('invites')
      .set({ role, sso: flag(sso) })
      .where('id', '=', id)
      .execute();
    return;
  }
  await trx
    .insertInto('invites')
    .values({
      id,
      organization,
      email,
      role,
      sso: flag(sso),
      createdAt: clock().toISOString(),
      createdBy: caller.id,
      acceptedAt: null,
    })
    .execute();
}
