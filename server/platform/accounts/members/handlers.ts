import { requireMember } from '../../../identity/membership.ts';
import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { teamPresenter } from '../teams/present.ts';
import { membershipsCount, membershipsOf } from '../teams/queries/memberships.ts';
import { teamFinder } from '../teams/queries.ts';
import { memberPresenter } from './present.ts';
import { signMemberClaims } from './queries/claims.ts';
import { type MemberName, memberFinder, memberOf, membersCount, membersMatching } from './queries.ts';
import { deleteMember, enableMemberSso, recordActivity, updateMember } from './rules.ts';

/** Handlers of the members of an organization. Any member can read them. */
export const memberHandlers = {
  async listMembers({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const access = await requireMember(queries, ctx.caller.id, path.organizationId);
    const { role, search, sort, order } = query;
    const present = memberPresenter(queries, access, ctx.resourceUrls);
    const findMember = memberFinder(queries, path.organizationId);
    // The search uses an index, and only the members of the page are read.
    return await answerList(ctx, membersMatching(queries, path.organizationId, query), query, {
      list: 'listMembers',
      filters: { organization: path.organizationId, role, search },
      order: [
        { column: `members.${sort}`, direction: order },
        { column: 'members.user', direction: order },
      ],
      count: membersCount(queries, path.organizationId, query),
      // The versions of cached counts are not changed by each activity of a member.
      areRowsCached: sort === 'joinedAt',
      present: async ({ user }) => {
        const row = await findMember(user);
        return row && (await present(row));
      },
    });
  },

  async getMember({ path }, { caller, database, resourceUrls }) {
    const access = await requireMember(database.query, caller.id, path.organizationId);
    const row = await memberOf(database.query, memberNameOf(path));
    return await memberPresenter(database.query, access, resourceUrls)(row);
  },

  async deleteMember({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteMember(trx, ctx, memberNameOf(path)));
  },

  async updateMember({ path, body }, ctx) {
    const changes = { ...memberNameOf(path), ...body };
    const { row, access } = await ctx.database.transaction((trx) => updateMember(trx, ctx, changes));
    return await memberPresenter(ctx.database.query, access, ctx.resourceUrls)(row);
  },

  async pingOrganization({ path }, ctx) {
    const { organizationId: organization } = path;
    await ctx.database.transaction((trx) => recordActivity(trx, ctx, { organization }));
    return { serviceVisitorClaims: await signMemberClaims(ctx, { user: ctx.caller.id, organization }) };
  },

  async enableMemberSso({ path }, ctx) {
    const { row, access } = await ctx.database.transaction((trx) =>
      enableMemberSso(trx, ctx, memberNameOf(path)),
    );
    return await memberPresenter(ctx.database.query, access, ctx.resourceUrls)(row);
  },

  async listMemberTeams({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const access = await requireMember(queries, ctx.caller.id, path.organizationId);
    const { user } = await memberOf(queries, memberNameOf(path));
    const { title } = query;
    const present = teamPresenter(queries, access);
    const findTeam = teamFinder(queries, access);
    const { organizationId: organization } = path;
    const member = { organization, user };
    // The search uses an index, and only the teams of the page are read.
    return await answerList(ctx, membershipsOf(queries, member, title), query, {
      list: 'listMemberTeams',
      filters: { organization, user, title },
      order: [
        { column: 'membership.teamCreatedAt', direction: 'asc' },
        { column: 'membership.team', direction: 'asc' },
      ],
      count: membershipsCount(queries, member, title),
      present: async ({ team, role }) => {
        const row = await findTeam(team);
        return row && { team: await present(row), member: { role } };
      },
    });
  },
} satisfies Slice;

function memberNameOf(path: { organizationId: string; userId: string }): MemberName {
  return { organization: path.organizationId, user: path.userId };
}
