import type { components } from '../../../../../generated/schema.d.ts';
import type { Transaction } from '../../../../database/database.ts';
import type { TeamMembersTable } from '../../../../database/schema/accounts/teams.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import { unlessNotFound } from '../../../../identity/errors.ts';
import type { Context } from '../../../kit/slice.ts';
import { memberOf } from '../../members/queries.ts';
import { teamFor, upsertTeamMember } from '../queries.ts';
import type { TeamName } from '../rules.ts';

type TeamRole = TeamMembersTable['role'];

/** IDs of a member of a team, the team and its organization. */
interface TeamMemberName extends TeamName {
  user: string;
}

/**
 * Adds and removes members of a team in one transaction. Users to add, or with a role, must be members of the
 * organization; users to remove need not be in the team. Without a role, new members get the role `member`, and
 * existing ones keep theirs.
 *
 * @throws ContractError 400 for the first user to add who is not a member of the organization
 */
export async function updateTeamMembers(
  trx: Transaction,
  ctx: Context,
  {
    organization,
    team,
    add = [],
    remove = [],
    memberships = {},
  }: TeamName & components['schemas']['TeamMembersUpdate'],
): Promise<void> {
  const name = { organization, team };
  await teamFor(trx, ctx.caller.id, name, 'admin');
  const find = await membersNamed(trx, organization, [...add, ...remove, ...Object.keys(memberships)]);
  const requireUser = (idOrEmail: string, field: string) => {
    const user = find(idOrEmail);
    if (user === undefined) {
      throw fieldInvalid(field, 'must be the ID or the email address of a member of the organization');
    }
    return user;
  };
  const added = add.map((idOrEmail, index) => requireUser(idOrEmail, `add.${index}`));
  const roles = new Map<string, TeamRole>();
  for (const [idOrEmail, { role }] of Object.entries(memberships)) {
    roles.set(requireUser(idOrEmail, `memberships.${idOrEmail}`), role);
  }
  for (const user of new Set([...added, ...roles.keys()])) {
    await putMember(trx, ctx, { ...name, user, role: roles.get(user) });
  }
  for (const user of remove.map(find)) {
    if (user !== undefined) {
      await removeMember(trx, ctx, { ...name, user });
    }
  }
}

/**
 * Adds a member to a team, or changes their role in it.
 *
 * @param member without a role, a new member gets the role `member`, and an existing one keeps theirs
 */
export async function setTeamMember(
  trx: Transaction,
  ctx: Context,
  member: TeamMemberName & { role: TeamRole | undefined },
): Promise<void> {
  await teamFor(trx, ctx.caller.id, member, 'admin');
  await memberOf(trx, member);
  await putMember(trx, ctx, member);
}

/** Removes a member from a team. Members can leave a team without being its admin. */
export async function deleteTeamMember(
  trx: Transaction,
  ctx: Context,
  member: TeamMemberName,
): Promise<void> {
  const { caller } = ctx;
  const permission = member.user === caller.id ? 'view' : 'admin';
  if (await unlessNotFound(teamFor(trx, caller.id, member, permission))) {
    await removeMember(trx, ctx, member);
  }
}

/** Finds members of an organization by ID or email address. */
async function membersNamed(
  trx: Transaction,
  organization: string,
  idsOrEmails: string[],
): Promise<(idOrEmail: string) => string | undefined> {
  const rows = await trx
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user')
    .select(['users.id', 'users.email'])
    .where('members.organization', '=', organization)
    .where((user) =>
      user.or([
        user('users.id', 'in', idsOrEmails),
        user(
          'users.email',
          'in',
          idsOrEmails.map((idOrEmail) => idOrEmail.toLowerCase()),
        ),
      ]),
    )
    .execute();
  const ids = new Map(
    rows.flatMap(({ id, email }) => [id, email ?? id].map((idOrEmail) => [idOrEmail, id] as const)),
  );
  return (idOrEmail) => ids.get(idOrEmail) ?? ids.get(idOrEmail.toLowerCase());
}

async function putMember(
  trx: Transaction,
  { audit }: Context,
  { organization, team, user, role }: TeamMemberName & { role: TeamRole | undefined },
): Promise<void> {
  const before = await trx
    .selectFrom('teamMembers')
    .select('role')
    .where('team', '=', team)
    .where('user', '=', user)
    .executeTakeFirst();
  const after = role ?? before?.role ?? 'member';
  if (before?.role === after) {
    return;
  }
  await upsertTeamMember(trx, { organization, team, user, role: after });
  await audit(trx, {
    organization,
    action: before ? 'team.member_role_changed' : 'team.member_added',
    resource: { type: 'team', id: team },
    details: { subject: { type: 'user', id: user }, ...(before && { before: before.role }), after },
  });
}

async function removeMember(
  trx: Transaction,
  { audit }: Context,
  { organization, team, user }: TeamMemberName,
): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('teamMembers')
    .where('team', '=', team)
    .where('user', '=', user)
    .executeTakeFirst();
  if (numDeletedRows === 0n) {
    return;
  }
  await audit(trx, {
    organization,
    action: 'team.member_removed',
    resource: { type: 'team', id: team },
    details: { subject: { type: 'user', id: user } },
  });
}
