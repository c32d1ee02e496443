import type { Access, AccessResource } from '../../../identity/access.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Role } from '../../../identity/levels.ts';
import { requireMember } from '../../../identity/membership.ts';
import { visibleSpaces } from '../../../identity/visible-spaces.ts';
import { memberOf } from '../../accounts/members/queries.ts';
import { accessFinder } from '../../kit/access.ts';
import { answerList } from '../../kit/list.ts';
import { creationLock } from '../../kit/locks.ts';
import type { Context, Slice } from '../../kit/slice.ts';
import { createSpace } from '../placements/create-space.ts';
import { presentPublishedSpace, presentWithDetails, spacePresenter } from './present.ts';
import { type SpaceWithAccess, spaceWithDetailsFor } from './queries.ts';
import { duplicateSpace } from './rules/duplication.ts';
import { copySpaceAhead, deleteSpace, moveSpace, restoreSpace, transferSpace, updateSpace } from './rules.ts';

/** Handlers of spaces, which contain pages and their history. */
export const spaceHandlers = {
  async listSpaces({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const member = await requireMember(queries, ctx.caller.id, path.organizationId);
    const accessTo = accessFinder(queries, member, 'space');
    const present = spacePresenter(queries, ctx.resourceUrls);
    const { rows, count } = await visibleSpaces(queries, member);
    return await answerList(ctx, rows.selectAll('spaces'), query, {
      list: 'listSpaces',
      filters: { organization: path.organizationId },
      order: [
        { column: 'spaces.createdAt', direction: 'asc' },
        { column: 'spaces.id', direction: 'asc' },
      ],
      count,
      present: async (row) => await present(row, await accessTo(row)),
    });
  },

  async createSpace({ path, body }, ctx) {
    const organization = path.organizationId;
    const created = await ctx.database.transaction(
      (trx) => createSpace(trx, ctx, { organization, ...body }),
      { lock: creationLock(organization) },
    );
    return await presentChanged(ctx, created);
  },

  async listMemberSpaces({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const caller = await requireMember(queries, ctx.caller.id, path.organizationId);
    const { user, organization, role } = await memberOf(queries, {
      organization: path.organizationId,
      user: path.userId,
    });
    const member = { user, organization, role: role ?? undefined };
    const callerAccessTo = accessFinder(queries, caller, 'space');
    const memberAccessTo = accessFinder(queries, member, 'space');
    const present = spacePresenter(queries, ctx.resourceUrls);
    const { rows, count } = await visibleSpaces(queries, caller, member);
    return await answerList(ctx, rows.selectAll('spaces'), query, {
      list: 'listMemberSpaces',
      filters: { organization, user },
      order: [
        { column: 'spaces.createdAt', direction: query.order },
        { column: 'spaces.id', direction: query.order },
      ],
      count,
      present: async (row) => ({
        permission: levelOf(await memberAccessTo(row), row),
        space: await present(row, await callerAccessTo(row)),
      }),
    });
  },

  async getSpace({ path, query }, ctx) {
    if (!ctx.visitor) {
      const options = { deletedAsOf: ctx.clock() };
      const space = spaceWithDetailsFor(ctx.database.query, ctx.caller.id, path.spaceId, 'view', options);
      const visible = await unlessNotFound(space);
      if (visible) {
        return presentWithDetails(visible.row, visible.access, visible.details, ctx.resourceUrls);
      }
    }
    const { row, site } = await ctx.hooks.publishedSpaceFor(ctx, path.spaceId, query.shareKey);
    return presentPublishedSpace(row, site.visibility, ctx.resourceUrls);
  },

  async updateSpace({ path, body }, ctx) {
    const updated = await ctx.database.transaction((trx) =>
      updateSpace(trx, ctx, { id: path.spaceId, ...body }),
    );
    return await presentChanged(ctx, updated);
  },

  async deleteSpace({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteSpace(trx, ctx, { id: path.spaceId }));
  },

  async duplicateSpace({ path }, ctx) {
    const duplicate = await ctx.database.transaction((trx) => duplicateSpace(trx, ctx, { id: path.spaceId }));
    return await presentChanged(ctx, duplicate);
  },

  async restoreSpace({ path }, ctx) {
    const restored = await ctx.database.transaction((trx) => restoreSpace(trx, ctx, { id: path.spaceId }));
    return await presentChanged(ctx, restored);
  },

  async moveSpace({ path, body }, ctx) {
    const moved = await ctx.database.transaction((trx) => moveSpace(trx, ctx, { id: path.spaceId, ...body }));
    return await presentChanged(ctx, moved);
  },

  async transferSpace({ path, body }, ctx) {
    const transfer = { id: path.spaceId, ...body };
    const copied = await copySpaceAhead(ctx, transfer);
    const transferred = await ctx.database.transaction((trx) =>
      transferSpace(trx, ctx, { ...transfer, copied }),
    );
    return await presentChanged(ctx, transferred);
  },
} satisfies Slice;

const presentChanged = async ({ database, resourceUrls }: Context, { row, access }: SpaceWithAccess) =>
  await spacePresenter(database.query, resourceUrls)(row, access);

/** Returns the level of a member on a space that is visible to them. */
function levelOf(access: Access, space: AccessResource): Role {
  const { level } = access.onSpace(space);
  if (!level) {
    throw new Error(`The space ${space.id} is listed as visible to ${access.user}, who has no level on it.`);
  }
  return level;
}
