import type { Queries } from '../../database/database.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { requireMember } from '../../identity/membership.ts';
import { accessFinder } from '../../models/access.ts';
import { publicationFinder } from '../../models/sites/publications.ts';
import { publishedSpaceFor } from '../../models/sites/visitors/published-space.ts';
import { presentPublishedSpace, presentSpace } from '../../models/spaces/present.ts';
import { countSpace, type SpaceWithAccess, spaceFor, withCounts } from '../../models/spaces/queries.ts';
import { visibleSpaces } from '../../models/spaces/visible.ts';
import { createSpace } from '../kit/create-space.ts';
import { answerList } from '../kit/list.ts';
import { creationLock } from '../kit/locks.ts';
import type { Context, Slice } from '../kit/slice.ts';
import { duplicateSpace } from './rules/duplication.ts';
import { copySpaceAhead, deleteSpace, moveSpace, restoreSpace, transferSpace, updateSpace } from './rules.ts';

/** Handlers of spaces, which contain pages and their history. */
export const spaceHandlers = {
  async listSpaces({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const member = await requireMember(queries, ctx.caller.id, path.organizationId);
    const accessTo = accessFinder(queries, member, 'space');
    const findPublication = publicationFinder(queries, ctx.resourceUrls);
    const { rows, count } = await visibleSpaces(queries, member);
    return await answerList(ctx, withCounts(queries, rows), query, {
      list: 'listSpaces',
      filters: { organization: path.organizationId },
      order: [
        { column: 'spaces.createdAt', direction: 'asc' },
        { column: 'spaces.id', direction: 'asc' },
      ],
      count,
      present: async (row) =>
        presentSpace(row, await accessTo(row), ctx.resourceUrls, await findPublication(row.id)),
    });
  },

  async createSpace({ path, body }, ctx) {
    const organization = path.organizationId;
    return await ctx.database.transaction(
      async (trx) => present(trx, ctx, await createSpace(trx, ctx, { organization, ...body })),
      { lock: creationLock(organization) },
    );
  },

  async getSpace({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    if (!ctx.visitor) {
      const options = { deletedAsOf: ctx.clock() };
      const space = spaceFor(queries, ctx.caller.id, path.spaceId, 'view', options);
      const visible = await unlessNotFound(space);
      if (visible) {
        return await present(queries, ctx, visible);
      }
    }
    const { row, site } = await publishedSpaceFor(ctx, path.spaceId, query.shareKey);
    return presentPublishedSpace(row, site.visibility, ctx.resourceUrls);
  },

  async updateSpace({ path, body }, ctx) {
    return await ctx.database.transaction(async (trx) =>
      present(trx, ctx, await updateSpace(trx, ctx, { id: path.spaceId, ...body })),
    );
  },

  async deleteSpace({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteSpace(trx, ctx, { id: path.spaceId }));
  },

  async duplicateSpace({ path }, ctx) {
    return await ctx.database.transaction(async (trx) =>
      present(trx, ctx, await duplicateSpace(trx, ctx, { id: path.spaceId })),
    );
  },

  async restoreSpace({ path }, ctx) {
    return await ctx.database.transaction(async (trx) =>
      present(trx, ctx, await restoreSpace(trx, ctx, { id: path.spaceId })),
    );
  },

  async moveSpace({ path, body }, ctx) {
    return await ctx.database.transaction(async (trx) =>
      present(trx, ctx, await moveSpace(trx, ctx, { id: path.spaceId, ...body })),
    );
  },

  async transferSpace({ path, body }, ctx) {
    const transfer = { id: path.spaceId, ...body };
    const copied = await copySpaceAhead(ctx, transfer);
    return await ctx.database.transaction(async (trx) =>
      present(trx, ctx, await transferSpace(trx, ctx, { ...transfer, copied })),
    );
  },
} satisfies Slice;

async function present(queries: Queries, { resourceUrls }: Context, { row, access }: SpaceWithAccess) {
  const publication = await publicationFinder(queries, resourceUrls)(row.id);
  return presentSpace(await countSpace(queries, row), access, resourceUrls, publication);
}
