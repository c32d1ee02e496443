import { foldedContains } from '../../database/text.ts';
import { requireMember } from '../../identity/access.ts';
import { memberPresenter } from '../../models/members/present.ts';
import { membersOf } from '../../models/members/queries.ts';
import { teamPresenter } from '../../models/teams/present.ts';
import { teamFinder, teamFor, teamsCount } from '../../models/teams/queries.ts';
import { answerList } from '../kit/list.ts';
import { creationLock } from '../kit/locks.ts';
import type { Services, Slice } from '../kit/slice.ts';
import { deleteTeamMember, setTeamMember, updateTeamMembers } from './rules/membership.ts';
import { createTeam, deleteTeam, managesEveryTeam, updateTeam } from './rules.ts';

/** Creates the handlers of teams, groups of members that can be granted access. Any member can read them. */
export function teamHandlers(
  services: Services,
): Slice<
  | 'listTeams'
  | 'createTeam'
  | 'getTeam'
  | 'deleteTeam'
  | 'updateTeam'
  | 'listTeamMembers'
  | 'updateTeamMembers'
  | 'setTeamMember'
  | 'deleteTeamMember'
> {
  const { database, addresses } = services;
  const named = (path: { organizationId: string; teamId: string }) => ({
    organization: path.organizationId,
    team: path.teamId,
  });
  return {
    async listTeams({ path, query }, { caller }) {
      const access = await requireMember(database.query, caller.id, path.organizationId);
      const { owner, title } = query;
      const ownedBy =
        owner !== undefined && (await managesEveryTeam(database.query, path.organizationId, owner))
          ? undefined
          : owner;
      const present = teamPresenter(database.query, access);
      const teamNamed = teamFinder(database.query, access);
      // The search uses an index, and only the teams of the page are read.
      return await answerList(
        services,
        database.query
          .selectFrom('teams')
          .select('teams.id')
          .where('teams.organization', '=', path.organizationId)
          .$if(ownedBy !== undefined, (teams) =>
            teams.where('teams.id', 'in', (team) =>
              team
                .selectFrom('teamMembers')
                .select('teamMembers.team')
                .where('teamMembers.organization', '=', path.organizationId)
                .where('teamMembers.user', '=', ownedBy ?? '')
                .where('teamMembers.role', '=', 'owner'),
            ),
          )
          .$if(title !== undefined, (teams) =>
            teams.where(foldedContains('teams.searchedText', title ?? '')),
          ),
        query,
        {
          list: 'listTeams',
          filters: { organization: path.organizationId, owner, title },
          order: [
            { column: 'teams.createdAt', direction: 'asc' },
            { column: 'teams.id', direction: 'asc' },
          ],
          count: ownedBy === undefined ? teamsCount(path.organizationId, title) : undefined,
          present: async ({ id }) => {
            const row = await teamNamed(id);
            return row && (await present(row));
          },
        },
      );
    },

    async createTeam({ path, body }, ctx) {
      const organization = path.organizationId;
      return await database.transaction(
        async (trx) => {
          const { row, access } = await createTeam(trx, ctx, { organization, ...body });
          return await teamPresenter(trx, access)(row);
        },
        { lock: creationLock(organization) },
      );
    },

    async getTeam({ path }, { caller }) {
      const { row, access } = await teamFor(database.query, caller.id, named(path), 'view');
      return await teamPresenter(database.query, access)(row);
    },

    async deleteTeam({ path }, ctx) {
      await database.transaction((trx) => deleteTeam(trx, ctx, named(path)));
    },

    async updateTeam({ path, body }, ctx) {
      return await database.transaction(async (trx) => {
        const { row, access } = await updateTeam(trx, ctx, { ...named(path), ...body });
        return await teamPresenter(trx, access)(row);
      });
    },

    async listTeamMembers({ path, query }, { caller }) {
      const { access } = await teamFor(database.query, caller.id, named(path), 'view');
      const presentMember = memberPresenter(database.query, access, addresses);
      return await answerList(
        services,
        membersOf(database.query, path.organizationId)
          .innerJoin('teamMembers as membership', 'membership.user', 'members.user')
          .where('membership.team', '=', path.teamId)
          .select('membership.role as teamRole'),
        query,
        {
          list: 'listTeamMembers',
          filters: named(path),
          order: [
            { column: 'membership.joinedAt', direction: 'asc' },
            { column: 'membership.user', direction: 'asc' },
          ],
          count: { organization: path.organizationId, kind: 'members of team', owner: path.teamId },
          present: async ({ teamRole, ...row }) => ({
            organization: await presentMember(row),
            team: { role: teamRole },
          }),
        },
      );
    },

    async updateTeamMembers({ path, body }, ctx) {
      await database.transaction((trx) => updateTeamMembers(trx, ctx, { ...named(path), ...body }));
    },

    async setTeamMember({ path, body }, ctx) {
      const member = { ...named(path), user: path.userId, role: body.role };
      await database.transaction((trx) => setTeamMember(trx, ctx, member));
    },

    async deleteTeamMember({ path }, ctx) {
      const member = { ...named(path), user: path.userId };
      await database.transaction((trx) => deleteTeamMember(trx, ctx, member));
    },
  };
}
