import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import type { TeamMembersTable } from '../../../database/schema.ts';
import { fieldInvalid } from '../../../errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { memberOf } from '../../../models/members/queries.ts';
import { putTeamMember, teamFor } from '../../../models/teams/queries.ts';
import type { Context } from '../../kit/slice.ts';
import type { TeamName } from '../rules.ts';

type TeamRole = TeamMembersTable['role'];

/**
 * Adds and removes members of a team, all at once. Who is added, or named among the roles, has to be a member
 * of the organization; who is removed need not be in the team. Without a role newcomers are plain members, and
 * those who were in the team keep theirs.
 *
 * @throws ContractError 400 for the first one to add who is no member of the organization
 */
export async function updateTeamMembers(
  trx: Transaction,
  context: Context,
  name: TeamName,
  { add = [], remove = [], memberships = {} }: components['schemas']['TeamMembersUpdate'],
): Promise<void> {
  await teamFor(trx, context.caller.user.id, name, 'admin');
  const find = await membersNamed(trx, name.organization, [...add, ...remove, ...Object.keys(memberships)]);
  const known = (named: string, field: string) => {
    const user = find(named);
    if (user === undefined)
      throw fieldInvalid(field, 'must be the ID or the email address of a member of the organization');
    return user;
  };
  const added = add.map((named, index) => known(named, `add.${index}`));
  const roles = new Map<string, TeamRole>();
  for (const [named, { role }] of Object.entries(memberships))
    roles.set(known(named, `memberships.${named}`), role);
  for (const user of new Set([...added, ...roles.keys()]))
    await putMember(trx, context, name, user, roles.get(user));
  for (const user of remove.map(find)) if (user !== undefined) await takeMember(trx, context, name, user);
}

/**
 * Adds a member to a team, or changes what they are there.
 *
 * @param role undefined: newcomers are plain members, others stay what they are
 */
export async function setTeamMember(
  trx: Transaction,
  context: Context,
  name: TeamName,
  user: string,
  role: TeamRole | undefined,
): Promise<void> {
  await teamFor(trx, context.caller.user.id, name, 'admin');
  await memberOf(trx, name.organization, user);
  await putMember(trx, context, name, user, role);
}

/** Takes a member out of a team. Members leave a team themselves, like the organization. */
export async function deleteTeamMember(
  trx: Transaction,
  context: Context,
  name: TeamName,
  user: string,
): Promise<void> {
  const caller = context.caller.user.id;
  const found = await unlessNotFound(teamFor(trx, caller, name, user === caller ? 'view' : 'admin'));
  if (found) await takeMember(trx, context, name, user);
}

/** Finds members of an organization by id or by mail address. */
async function membersNamed(
  trx: Transaction,
  organization: string,
  names: string[],
): Promise<(named: string) => string | undefined> {
  const rows = await trx
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user')
    .select(['users.id', 'users.email'])
    .where('members.organization', '=', organization)
    .where((user) =>
      user.or([
        user('users.id', 'in', names),
        user(
          'users.email',
          'in',
          names.map((named) => named.toLowerCase()),
        ),
      ]),
    )
    .execute();
  const ids = new Map(
    rows.flatMap(({ id, email }) => [id, email ?? id].map((named) => [named, id] as const)),
  );
  return (named) => ids.get(named) ?? ids.get(named.toLowerCase());
}

/** @param role undefined: newcomers are plain members, others stay what they are */
async function putMember(
  trx: Transaction,
  { audit }: Context,
  { organization, team }: TeamName,
  user: string,
  role: TeamRole | undefined,
): Promise<void> {
  const before = await trx
    .selectFrom('teamMembers')
    .select('role')
    .where('team', '=', team)
    .where('user', '=', user)
    .executeTakeFirst();
  const after = role ?? before?.role ?? 'member';
  if (before?.role === after) return;
  await putTeamMember(trx, { organization, team, user, role: after });
  await audit(trx, {
    organization,
    action: before ? 'team.member_role_changed' : 'team.member_added',
    resource: { type: 'team', id: team },
    details: { subject: { type: 'user', id: user }, ...(before && { before: before.role }), after },
  });
}

async function takeMember(
  trx: Transaction,
  { audit }: Context,
  { organization, team }: TeamName,
  user: string,
): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('teamMembers')
    .where('team', '=', team)
    .where('user', '=', user)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return;
  await audit(trx, {
    organization,
    action: 'team.member_removed',
    resource: { type: 'team', id: team },
    details: { subject: { type: 'user', id: user } },
  });
}
