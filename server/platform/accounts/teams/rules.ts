import type { components } from '../../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import { organizationPermissions } from '../../../identity/permissions.ts';
import type { Context } from '../../kit/slice.ts';
import { requireMembers } from '../members/queries.ts';
import { type TeamWithAccess, teamFor, upsertTeamMember } from './queries.ts';

type Schemas = components['schemas'];

/** IDs of a team and its organization. */
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
 * Creates a team that the caller owns.
 *
 * @throws ContractError 400 for a first member who is not a member of the organization
 */
export async function createTeam(
  trx: Transaction,
  ctx: Context,
  { organization, title, members = [] }: { organization: string } & Schemas['TeamCreate'],
): Promise<TeamWithAccess> {
  const { caller, audit } = ctx;
  const access = await requireInOrganization(trx, caller.id, organization, 'ownTeam');
  await requireMembers(trx, organization, members, 'members');
  const id = ctx.createId('team');
  const row = await trx
    .insertInto('teams')
    .values({ id, organization, title, createdAt: ctx.clock().toISOString(), createdBy: caller.id })
    .returningAll()
    .executeTakeFirstOrThrow();
  const users = new Set<string>([caller.id, ...members]);
  for (const user of users) {
    await upsertTeamMember(trx, {
      organization,
      team: id,
      user,
      role: user === caller.id ? 'owner' : 'member',
    });
  }
  const resource = { type: 'team', id } as const;
  const subjectOf = (user: string) => ({ subject: { type: 'user', id: user } }) as const;
  await audit(trx, { organization, action: 'team.created', resource, details: subjectOf(caller.id) });
  for (const user of users) {
    if (user !== caller.id) {
      const details = { ...subjectOf(user), after: 'member' };
      await audit(trx, { organization, action: 'team.member_added', resource, details });
    }
  }
  return { row: { ...row, callerRole: 'owner' }, access };
}

/** Changes the title of a team. */
export async function updateTeam(
  trx: Transaction,
  { caller }: Context,
  { organization, team, title }: TeamName & Schemas['TeamPatch'],
): Promise<TeamWithAccess> {
  const { row, access } = await teamFor(trx, caller.id, { organization, team }, 'admin');
  await trx.updateTable('teams').set({ title }).where('id', '=', row.id).execute();
  return { row: { ...row, title }, access };
}

/** Deletes a team with its grants. SAML providers with this default team have none afterwards. */
export async function deleteTeam(
  trx: Transaction,
  { caller, audit }: Context,
  { organization, team }: TeamName,
): Promise<void> {
  const existing = await unlessNotFound(teamFor(trx, caller.id, { organization, team }, 'admin'));
  if (!existing) {
    return;
  }
  await trx
    .deleteFrom('grants')
    .where('organization', '=', organization)
    .where('subjectKind', '=', 'team')
    .where('subject', '=', existing.row.id)
    .execute();
  await trx.deleteFrom('teams').where('id', '=', existing.row.id).execute();
  await audit(trx, {
    organization,
    action: 'team.deleted',
    resource: { type: 'team', id: existing.row.id },
  });
}
