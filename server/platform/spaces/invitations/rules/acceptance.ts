import type { Selectable } from 'kysely';
import type { Queries, Transaction } from '../../../../database/database.ts';
import type { LinkInvitesTable } from '../../../../database/schema/accounts/invitations.ts';
import type { MembersTable } from '../../../../database/schema/accounts/members.ts';
import type { UsersTable } from '../../../../database/schema/accounts/users.ts';
import { inviteLinksDisabled, membershipDisabled, notFound } from '../../../../errors/errors.ts';
import { highestLevel, type Role } from '../../../../identity/levels.ts';
import { addMember } from '../../../../identity/organizations.ts';
import { type MemberWithAccess, memberOf } from '../../../accounts/members/queries.ts';
import { memberAddedEvent, roleName } from '../../../kit/audit/record.ts';
import type { Context } from '../../../kit/slice.ts';
import { grant, isGrant } from '../../grants/queries.ts';
import type { SpaceOrCollection } from '../../placements/target.ts';
import type { InviteName } from './links.ts';

type User = Selectable<UsersTable>;

/**
 * Makes the caller a member by an invitation: by a link, which anyone can use, or by a personal invitation, which is
 * valid once. An invitation never lowers the role or level of a member. Returns the caller as a member.
 *
 * @throws ContractError 409 if invite links are disabled, 404 if the invitation does not exist or is for another user,
 *   403 if the membership of the caller is disabled, or the organization would have too many members
 */
export async function acceptInvite(
  trx: Transaction,
  ctx: Context,
  name: InviteName,
): Promise<MemberWithAccess> {
  const { organization } = name;
  const { caller } = ctx;
  const link = await findLink(trx, name);
  const personal = link ? undefined : await findPersonal(trx, caller.user, name);
  if (!link && !personal) {
    throw notFound('invitation');
  }
  const member = await trx
    .selectFrom('members')
    .selectAll()
    .where('organization', '=', organization)
    .where('user', '=', caller.id)
    .executeTakeFirst();
  if (member?.disabled === 1) {
    throw membershipDisabled();
  }
  if (link) {
    await requireLinksAllowed(trx, organization);
    await join(trx, ctx, member, { organization, user: caller.id, role: link.role });
    await grantInvited(trx, ctx, link);
  }
  if (personal) {
    const { role, sso } = personal;
    await join(trx, ctx, member, { organization, user: caller.id, role, sso: sso === 1 });
    await trx
      .updateTable('invites')
      .set({ acceptedAt: ctx.clock().toISOString() })
      .where('id', '=', personal.id)
      .execute();
  }
  const row = await memberOf(trx, { organization, user: caller.id });
  return { row, access: { user: caller.id, organization, role: row.role ?? undefined } };
}

/** Finds an invite link, unless its space is deleted. */
async function findLink(queries: Queries, { organization, invite }: InviteName) {
  return await queries
    .selectFrom('linkInvites')
    .selectAll()
    .where('organization', '=', organization)
    .where('id', '=', invite)
    .where((link) =>
      link.not(
        link.exists(
          link
            .selectFrom('spaces')
            .select('spaces.id')
            .whereRef('spaces.id', '=', 'linkInvites.target')
            .where('spaces.deletedAt', 'is not', null),
        ),
      ),
    )
    .executeTakeFirst();
}

/** Finds a pending invitation of the caller. */
async function findPersonal(queries: Queries, { email }: User, { organization, invite }: InviteName) {
  if (email === null) {
    return undefined;
  }
  return await queries
    .selectFrom('invites')
    .selectAll()
    .where('organization', '=', organization)
    .where('id', '=', invite)
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .executeTakeFirst();
}

async function requireLinksAllowed(queries: Queries, organization: string): Promise<void> {
  const { inviteLinks } = await queries
    .selectFrom('organizations')
    .select('inviteLinks')
    .where('id', '=', organization)
    .executeTakeFirstOrThrow();
  if (inviteLinks === 0) {
    throw inviteLinksDisabled();
  }
}

async function join(
  trx: Transaction,
  { audit, clock, quotas }: Context,
  member: Selectable<MembersTable> | undefined,
  invited: { organization: string; user: string; role: Role | null; sso?: boolean },
): Promise<void> {
  if (!member) {
    await addMember(trx, quotas, { ...invited, now: clock() });
    return await audit(trx, memberAddedEvent(invited.organization, invited.user, invited.role));
  }
  const role = highestLevel([member.role ?? undefined, invited.role ?? undefined]) ?? null;
  if (role === member.role) {
    return;
  }
  await trx
    .updateTable('members')
    .set({ role })
    .where('organization', '=', invited.organization)
    .where('user', '=', invited.user)
    .execute();
  await audit(trx, {
    organization: invited.organization,
    action: 'member.role_changed',
    resource: { type: 'user', id: invited.user },
    details: { before: roleName(member.role), after: roleName(role) },
  });
}

/** Grants the level of an invite link to a space or a collection. */
async function grantInvited(
  trx: Transaction,
  { caller, audit, clock }: Context,
  { organization, targetKind, target, level }: Selectable<LinkInvitesTable>,
): Promise<void> {
  if (targetKind === null || target === null || level === null) {
    return;
  }
  const resource: SpaceOrCollection = { kind: targetKind, id: target };
  const subject = { kind: 'user', id: caller.id } as const;
  const before = await trx
    .selectFrom('grants')
    .select('role')
    .where(isGrant(resource, subject))
    .executeTakeFirst();
  const role = highestLevel([before?.role, level]) ?? level;
  await grant(trx, audit, { organization, target: resource, subject, role, now: clock() });
}
