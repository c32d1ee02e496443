import type { components } from '../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { requireInOrganization } from '../../identity/access.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { organizationPermissions } from '../../identity/permissions.ts';
import { requireMembers } from '../../models/members/queries.ts';
import { putTeamMember, teamFor } from '../../models/teams/queries.ts';
import type { Context, Services } from '../kit/slice.ts';

type Schemas = components['schemas'];

/** A team of an organization, as a path names it. */
export interface TeamName {
  organization: string;
  team: string;
}

/** Whether a user manages the teams of an organization without being their owner. */
export async function managesEveryTeam(
  queries: Queries,
  organization: string,
  user: string,
): Promise<boolean> {
  const member = await queries
    .selectFrom('members')
    .select('role')
    .where('organization', '=', organization)
    .where('user', '=', user)
    .executeTakeFirst();
  return member !== undefined && organizationPermissions(member.role ?? undefined).ownTeam;
}

/**
 * Creates a team that the caller owns and answers its id.
 *
 * @throws ContractError 400 for a first member who is no member of the organization
 */
export async function createTeam(
  trx: Transaction,
  { clock, makeId }: Services,
  { caller: { user: owner }, audit }: Context,
  organization: string,
  { title, members = [] }: Schemas['TeamCreate'],
): Promise<string> {
  const caller = owner.id;
  await requireInOrganization(trx, caller, organization, 'ownTeam');
  await requireMembers(trx, organization, members, 'members');
  const id = makeId('team');
  await trx
    .insertInto('teams')
    .values({ id, organization, title, createdAt: clock().toISOString(), createdBy: caller })
    .execute();
  for (const user of new Set([caller, ...members]))
    await putTeamMember(trx, { organization, team: id, user, role: user === caller ? 'owner' : 'member' });
  const resource = { type: 'team', id } as const;
  const memberNamed = (user: string) => ({ subject: { type: 'user', id: user } }) as const;
  await audit(trx, { organization, action: 'team.created', resource, details: memberNamed(caller) });
  for (const user of new Set(members))
    if (user !== caller) {
      const details = { ...memberNamed(user), after: 'member' };
      await audit(trx, { organization, action: 'team.member_added', resource, details });
    }
  return id;
}

/** Gives a team another title. */
export async function updateTeam(
  trx: Transaction,
  caller: string,
  name: TeamName,
  { title }: Schemas['TeamPatch'],
): Promise<void> {
  const { row } = await teamFor(trx, caller, name, 'admin');
  await trx.updateTable('teams').set({ title }).where('id', '=', row.id).execute();
}

/** Deletes a team with its grants; as a default team of SAML providers the database forgets it. */
export async function deleteTeam(
  trx: Transaction,
  { caller, audit }: Context,
  name: TeamName,
): Promise<void> {
  const found = await unlessNotFound(teamFor(trx, caller.user.id, name, 'admin'));
  if (!found) return;
  await trx
    .deleteFrom('grants')
    .where('organization', '=', name.organization)
    .where('subjectKind', '=', 'team')
    .where('subject', '=', found.row.id)
    .execute();
  await trx.deleteFrom('teams').where('id', '=', found.row.id).execute();
  const { organization } = name;
  await audit(trx, {
    organization,
    action: 'team.deleted',
    resource: { type: 'team', id: found.row.id },
  });
}
