import type { Selectable } from 'kysely';
import { batched } from '../../../database/batched.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { fold } from '../../../database/fold.ts';
import type { NameSearch } from '../../../database/lists/name-searches.ts';
import { notIndexed } from '../../../database/lookups.ts';
import type { CountedRows } from '../../../database/row-counts.ts';
import type { TeamMembersTable, TeamsTable } from '../../../database/schema/accounts/teams.ts';
import { foldedContains } from '../../../database/text.ts';
import { fieldInvalid, notFound, permissionMissing } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { type Membership, requireMember } from '../../../identity/membership.ts';
import { teamPermissions } from '../../../identity/permissions.ts';
import { membersOf } from '../members/queries.ts';

/** A team with the role of the caller. */
export interface TeamRow extends Selectable<TeamsTable> {
  /** The caller's role in the team; null if the caller is not in it. */
  callerRole: TeamMembersTable['role'] | null;
}

/** A team with the caller's membership in its organization. */
export interface TeamWithAccess {
  row: TeamRow;
  access: Membership;
}

/** Selects teams for a member of their organization. */
const selectTeams = (queries: Queries, access: Membership) =>
  queries
    .selectFrom('teams')
    .leftJoin('teamMembers as callerMembers', (join) =>
      join.onRef('callerMembers.team', '=', 'teams.id').on('callerMembers.user', '=', access.user),
    )
    .selectAll('teams')
    .select('callerMembers.role as callerRole');

/** Selects the teams of an organization for one of its members. */
const teamsFor = (queries: Queries, access: Membership) =>
  selectTeams(queries, access).where('teams.organization', '=', access.organization);

/** Creates a function that finds teams of an organization. Those of a list page are read together. */
export const teamFinder = (queries: Queries, access: Membership) =>
  batched<string, TeamRow | undefined>(async (ids) => {
    const rows = await selectTeams(queries, access)
      .where('teams.id', 'in', ids)
      .where(notIndexed('teams.organization'), '=', access.organization)
      .execute();
    const teams = new Map(rows.map((row) => [row.id, row]));
    return (id) => teams.get(id);
  });

/** Selects the IDs of the teams of an organization that have an owner, or whose title contains a text. */
export const teamsMatching = (
  queries: Queries,
  organization: string,
  { owner, title }: { owner: string | undefined; title: string | undefined },
) =>
  queries
    .selectFrom('teams')
    .select('teams.id')
    .where('teams.organization', '=', organization)
    .$if(owner !== undefined, (teams) =>
      teams.where('teams.id', 'in', (team) =>
        team
          .selectFrom('teamMembers')
          .select('teamMembers.team')
          .where('teamMembers.organization', '=', organization)
          .where('teamMembers.user', '=', owner ?? '')
          .where('teamMembers.role', '=', 'owner'),
      ),
    )
    .$if(title !== undefined, (teams) =>
      teams.where(foldedContains(queries, 'teams.searchedText', title ?? '')),
    );

/** Selects the members of a team, with their roles in it. */
export const teamMembersOf = (queries: Queries, organization: string, team: string) =>
  membersOf(queries, organization)
    .innerJoin('teamMembers as membership', 'membership.user', 'members.user')
    .where('membership.team', '=', team)
    .select('membership.role as teamRole');

/** Returns the count of the teams whose title contains a text; by default of all teams. */
export function teamsCount(
  queries: Queries,
  organization: string,
  title: string | undefined,
): CountedRows | NameSearch {
  if (title === undefined) {
    return { organization, kind: 'teams' };
  }
  return {
    organization,
    names: 'teams',
    key: `teams ${fold(title)}`,
    matches: foldedContains(queries, 'nameChanges.searchedText', title),
  };
}

/**
 * Finds a team, and requires a permission on it.
 *
 * @throws ContractError 404 if it does not exist for the caller, 403 if the caller lacks the permission
 */
export async function teamFor(
  queries: Queries,
  caller: CallerId,
  { organization, team }: { organization: string; team: string },
  permission: 'view' | 'admin',
): Promise<TeamWithAccess> {
  const access = await requireMember(queries, caller, organization);
  const row = await teamsFor(queries, access).where('teams.id', '=', team).executeTakeFirst();
  if (!row) {
    throw notFound('team');
  }
  if (!teamPermissions(access.role, row.callerRole ?? undefined)[permission]) {
    throw permissionMissing('team', permission);
  }
  return { row, access };
}

/** Adds a member of the organization to a team, or changes their role in the team. */
export async function upsertTeamMember(
  trx: Transaction,
  { organization, team, user, role }: Pick<TeamMembersTable, 'organization' | 'team' | 'user' | 'role'>,
): Promise<void> {
  await trx
    .insertInto('teamMembers')
    .values(({ selectFrom }) => ({
      organization,
      team,
      user,
      role,
      joinedAt: selectFrom('members')
        .select('members.joinedAt')
        .where('members.organization', '=', organization)
        .where('members.user', '=', user),
      teamCreatedAt: selectFrom('teams').select('teams.createdAt').where('teams.id', '=', team),
    }))
    .onConflict((conflict) => conflict.columns(['team', 'user']).doUpdateSet({ role }))
    .execute();
}

/**
 * Requires teams of a request to be teams of an organization.
 *
 * @param field returns the field of the body for the index of a team
 * @throws ContractError 400 for the first team that is not
 */
export async function requireTeams(
  queries: Queries,
  organization: string,
  teams: string[],
  field: (index: number) => string,
): Promise<void> {
  const rows = await queries
    .selectFrom('teams')
    .select('id')
    .where(notIndexed('organization'), '=', organization)
    .where('id', 'in', teams)
    .execute();
  const teamIds = new Set(rows.map(({ id }) => id));
  const index = teams.findIndex((team) => !teamIds.has(team));
  if (index >= 0) {
    throw fieldInvalid(field(index), 'must be the ID of a team of the organization');
  }
}
