import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { flag } from '../../../database/json.ts';
import type { Role } from '../../../identity/levels.ts';
import { addMember } from '../../../identity/membership.ts';
import { memberAdded, roleName } from '../../../models/audit-events/record.ts';
import { organizationFor } from '../../../models/organizations/queries.ts';
import type { Context, Services } from '../../kit/slice.ts';

type Schemas = components['schemas'];

/** Someone to invite, with what the invitation gives them. */
interface Invitation {
  organization: string;
  email: string;
  role: Role | null;
  sso: boolean;
}

/**
 * Invites people by their mail addresses. Users become members at once and members stay as they are; an
 * address that no user has waits for its user. An address counts once, as it was written first.
 */
export async function inviteUsers(
  trx: Transaction,
  services: Services,
  context: Context,
  organization: string,
  { emails, role, sso = false }: Schemas['InviteUsers'],
): Promise<Schemas['InvitedUsers']> {
  const { row } = await organizationFor(trx, context.caller.id, organization, 'admin');
  const byDefault = role === undefined ? row.defaultRole : role;
  const invitations = new Map<string, Invitation>();
  for (const invitee of emails) {
    const { email, role } = typeof invitee === 'string' ? { email: invitee, role: byDefault } : invitee;
    const key = email.toLowerCase();
    if (!invitations.has(key)) invitations.set(key, { organization, email: key, role, sso });
  }
  const users: string[] = [];
  const failed: string[] = [];
  let invited = 0;
  for (const invitation of invitations.values()) {
    const known = await trx
      .selectFrom('users')
      .leftJoin('members', (join) =>
        join.onRef('members.user', '=', 'users.id').on('members.organization', '=', organization),
      )
      .select(['users.id', 'members.sso'])
      .where('users.email', '=', invitation.email)
      .executeTakeFirst();
    if (known) users.push(known.id);
    if (known && known.sso !== null) {
      if (sso && known.sso === 0) failed.push(invitation.email);
      continue;
    }
    invited++;
    if (known) {
      await addMember(trx, { ...invitation, user: known.id, now: services.clock() });
      await context.audit(trx, memberAdded(organization, known.id, invitation.role));
    } else await awaitUser(trx, services, context, invitation);
  }
  return { users, invited, ...(failed.length > 0 && { failedSSOEmails: failed }) };
}

/** Notes an address until its user comes; inviting it again replaces what waits. */
async function awaitUser(
  trx: Transaction,
  { clock, makeId }: Services,
  { caller, audit }: Context,
  { organization, email, role, sso }: Invitation,
): Promise<void> {
  const waiting = await trx
    .selectFrom('invites')
    .select(['id', 'role', 'sso'])
    .where('organization', '=', organization)
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .executeTakeFirst();
  const id = waiting?.id ?? makeId('inv');
  if (waiting?.role === role && waiting.sso === flag(sso)) return;
  await audit(trx, {
    organization,
    action: waiting ? 'invite.changed' : 'invite.created',
    resource: { type: 'invite', id },
    details: { ...(waiting && { before: roleName(waiting.role) }), after: roleName(role) },
  });
  if (waiting) {
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
