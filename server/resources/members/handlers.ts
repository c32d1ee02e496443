import type { Transaction } from '../../database/database.ts';
import { type Access, requireMember } from '../../identity/access.ts';
import type { Role } from '../../identity/levels.ts';
import { accessFinder } from '../../models/access.ts';
import { memberPresenter } from '../../models/members/present.ts';
import { memberFinder, memberOf, membersCount, membersMatching } from '../../models/members/queries.ts';
import { presentSpace } from '../../models/spaces/present.ts';
import { withCounts } from '../../models/spaces/queries.ts';
import { visibleSpaces } from '../../models/spaces/visible.ts';
import { teamPresenter } from '../../models/teams/present.ts';
import { membershipsCount, membershipsOf, teamFinder } from '../../models/teams/queries.ts';
import { answerList } from '../kit/list.ts';
import type { Context, HandlersOf, Services } from '../kit/slice.ts';
import { deleteMember, enableMemberSso, markSeen, updateMember } from './rules.ts';

/** Creates the handlers of the members of an organization. Any member can read them. */
export function memberHandlers(
  services: Services,
): HandlersOf<
  | 'listMembers'
  | 'getMember'
  | 'deleteMember'
  | 'updateMember'
  | 'pingOrganization'
  | 'enableMemberSso'
  | 'listMemberSpaces'
  | 'listMemberTeams'
> {
  const { database, addresses, clock } = services;

  /** Changes a member in a transaction, and returns it as the caller sees it afterwards. */
  const changed = async (
    { caller }: Context,
    { organizationId, userId }: { organizationId: string; userId: string },
    work: (trx: Transaction) => Promise<void>,
  ) =>
    await database.transaction(async (trx) => {
      // Before the change, which may remove the caller's own role.
      const member = await requireMember(trx, caller.id, organizationId);
      await work(trx);
      return await memberPresenter(trx, member, addresses)(await memberOf(trx, organizationId, userId));
    });

  return {
    async listMembers({ path, query }, { caller }) {
      const member = await requireMember(database.query, caller.id, path.organizationId);
      const { role, search, sort, order } = query;
      const present = memberPresenter(database.query, member, addresses);
      const memberNamed = memberFinder(database.query, path.organizationId);
      // The search uses an index, and only the members of the page are read.
      return await answerList(services, membersMatching(database.query, path.organizationId, query), query, {
        list: 'listMembers',
        filters: { organization: path.organizationId, role, search },
        order: [
          { column: `members.${sort}`, direction: order },
          { column: 'members.user', direction: order },
        ],
        count: membersCount(path.organizationId, query),
        present: async ({ user }) => {
          const row = await memberNamed(user);
          return row && (await present(row));
        },
      });
    },

    async getMember({ path }, { caller }) {
      const member = await requireMember(database.query, caller.id, path.organizationId);
      const row = await memberOf(database.query, path.organizationId, path.userId);
      return await memberPresenter(database.query, member, addresses)(row);
    },

    async deleteMember({ path }, context) {
      await database.transaction((trx) => deleteMember(trx, context, path.organizationId, path.userId));
    },

    async updateMember({ path, body }, context) {
      return await changed(context, path, (trx) =>
        updateMember(trx, context, path.organizationId, path.userId, body),
      );
    },

    async pingOrganization({ path }, { caller }) {
      await database.transaction((trx) => markSeen(trx, caller.id, path.organizationId, clock()));
      return {};
    },

    async enableMemberSso({ path }, context) {
      return await changed(context, path, (trx) =>
        enableMemberSso(trx, context, path.organizationId, path.userId),
      );
    },

    async listMemberSpaces({ path, query }, { caller }) {
      const member = await requireMember(database.query, caller.id, path.organizationId);
      const { user, organization, role } = await memberOf(database.query, path.organizationId, path.userId);
      const other = { user, organization, role: role ?? undefined };
      const accessTo = accessFinder(database.query, member, 'space');
      const theirAccessTo = accessFinder(database.query, other, 'space');
      const { rows, count } = await visibleSpaces(database.query, member, other);
      return await answerList(services, withCounts(database.query, rows), query, {
        list: 'listMemberSpaces',
        filters: { organization, user },
        order: [
          { column: 'spaces.createdAt', direction: query.order },
          { column: 'spaces.id', direction: query.order },
        ],
        count,
        present: async (row) => ({
          permission: levelOf(await theirAccessTo(row), row),
          space: presentSpace(row, await accessTo(row), addresses),
        }),
      });
    },

    async listMemberTeams({ path, query }, { caller }) {
      const access = await requireMember(database.query, caller.id, path.organizationId);
      const { user } = await memberOf(database.query, path.organizationId, path.userId);
      const { title } = query;
      const present = teamPresenter(database.query, access);
      const teamNamed = teamFinder(database.query, access);
      // The search only reads the memberships, and only the teams of the page are read.
      return await answerList(services, membershipsOf(database.query, access, { user, title }), query, {
        list: 'listMemberTeams',
        filters: { organization: path.organizationId, user, title },
        order: [
          { column: 'membership.teamCreatedAt', direction: 'asc' },
          { column: 'membership.team', direction: 'asc' },
        ],
        count: membershipsCount(access, { user, title }),
        present: async ({ team, role }) => {
          const row = await teamNamed(team);
          return row && { team: await present(row), member: { role } };
        },
      });
    },
  };
}

/** Returns the level of a member on a space that is visible to them. */
function levelOf(access: Access, space: Parameters<Access['onSpace']>[0]): Role {
  const { level } = access.onSpace(space);
  if (!level) {
    throw new Error(`The space ${space.id} is listed as visible to ${access.user}, who has no level on it.`);
  }
  return level;
}
