import { requireMember } from '../../../identity/membership.ts';
import { answerList } from '../../kit/list.ts';
import { creationLock } from '../../kit/locks.ts';
import type { Slice } from '../../kit/slice.ts';
import { memberPresenter } from '../members/present.ts';
import { teamPresenter } from './present.ts';
import { teamFinder, teamFor, teamMembersOf, teamsCount, teamsMatching } from './queries.ts';
import { deleteTeamMember, setTeamMember, updateTeamMembers } from './rules/membership.ts';
import { createTeam, deleteTeam, managesEveryTeam, type TeamName, updateTeam } from './rules.ts';

/** Handlers of teams, groups of members that can be granted access. Any member can read them. */
export const teamHandlers = {
  async listTeams({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const access = await requireMember(queries, ctx.caller.id, path.organizationId);
    const { owner, title } = query;
    const ownedBy =
      owner !== undefined && (await managesEveryTeam(queries, path.organizationId, owner))
        ? undefined
        : owner;
    const findTeam = teamFinder(queries, access);
    const present = teamPresenter(queries, access);
    // The search uses an index, and only the teams of the page are read.
    return await answerList(
      ctx,
      teamsMatching(queries, path.organizationId, { owner: ownedBy, title }),
      query,
      {
        list: 'listTeams',
        filters: { organization: path.organizationId, owner, title },
        order: [
          { column: 'teams.createdAt', direction: 'asc' },
          { column: 'teams.id', direction: 'asc' },
        ],
        count: ownedBy === undefined ? teamsCount(queries, path.organizationId, title) : undefined,
        areRowsCached: true,
        present: async ({ id }) => {
          const row = await findTeam(id);
          return row && (await present(row));
        },
      },
    );
  },

  async createTeam({ path, body }, ctx) {
    const organization = path.organizationId;
    const { row, access } = await ctx.database.transaction(
      (trx) => createTeam(trx, ctx, { organization, ...body }),
      { lock: creationLock(organization) },
    );
    return await teamPresenter(ctx.database.query, access)(row);
  },

  async getTeam({ path }, { caller, database }) {
    const { row, access } = await teamFor(database.query, caller.id, teamNameOf(path), 'view');
    return await teamPresenter(database.query, access)(row);
  },

  async deleteTeam({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteTeam(trx, ctx, teamNameOf(path)));
  },

  async updateTeam({ path, body }, ctx) {
    const changes = { ...teamNameOf(path), ...body };
    const { row, access } = await ctx.database.transaction((trx) => updateTeam(trx, ctx, changes));
    return await teamPresenter(ctx.database.query, access)(row);
  },

  async listTeamMembers({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { access } = await teamFor(queries, ctx.caller.id, teamNameOf(path), 'view');
    const presentMember = memberPresenter(queries, access, ctx.resourceUrls);
    return await answerList(ctx, teamMembersOf(queries, path.organizationId, path.teamId), query, {
      list: 'listTeamMembers',
      filters: teamNameOf(path),
      order: [
        { column: 'membership.joinedAt', direction: 'asc' },
        { column: 'membership.user', direction: 'asc' },
      ],
      count: { organization: path.organizationId, kind: 'members of team', owner: path.teamId },
      present: async ({ teamRole, ...row }) => ({
        organization: await presentMember(row),
        team: { role: teamRole },
        // Who reads the list can read its members.
        permissions: { view: true },
      }),
    });
  },

  async updateTeamMembers({ path, body }, ctx) {
    await ctx.database.transaction((trx) => updateTeamMembers(trx, ctx, { ...teamNameOf(path), ...body }));
  },

  async setTeamMember({ path, body }, ctx) {
    const member = { ...teamNameOf(path), user: path.userId, role: body.role };
    await ctx.database.transaction((trx) => setTeamMember(trx, ctx, member));
  },

  async deleteTeamMember({ path }, ctx) {
    const member = { ...teamNameOf(path), user: path.userId };
    await ctx.database.transaction((trx) => deleteTeamMember(trx, ctx, member));
  },
} satisfies Slice;

function teamNameOf(path: { organizationId: string; teamId: string }): TeamName {
  return { organization: path.organizationId, team: path.teamId };
}
