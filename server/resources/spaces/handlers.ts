import { unlessNotFound } from '../../identity/errors.ts';
import { requireMember } from '../../identity/membership.ts';
import { accessFinder } from '../../models/access.ts';
import { publicationFinder } from '../../models/sites/publications.ts';
import { publishedSpaceFor } from '../../models/sites/visitors/published-space.ts';
import { presentPublishedSpace, presentSpace } from '../../models/spaces/present.ts';
import { type SpaceWithAccess, spaceCounter, spaceFor } from '../../models/spaces/queries.ts';
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
    const countSpace = spaceCounter(queries);
    const findPublication = publicationFinder(queries, ctx.resourceUrls);
    const { rows, count } = await visibleSpaces(queries, member);
    return await answerList(ctx, rows.selectAll('spaces'), query, {
      list: 'listSpaces',
      filters: { organization: path.organizationId },
      order: [
        { column: 'spaces.createdAt', direction: 'asc' },
        { column: 'spaces.id', direction: 'asc' },
      ],
      count,
      present: async (row) =>
        presentSpace(
          await countSpace(row),
          await accessTo(row),
          ctx.resourceUrls,
          await findPublication(row.id),
        ),
    });
  },

  async createSpace({ path, body }, ctx) {
    const organization = path.organizationId;
    const created = await ctx.database.transaction(
      (trx) => createSpace(trx, ctx, { organization, ...body }),
      { lock: creationLock(organization) },
    );
    return await present(ctx, created);
  },

  async getSpace({ path, query }, ctx) {
    if (!ctx.visitor) {
      const options = { deletedAsOf: ctx.clock() };
      const space = spaceFor(ctx.database.query, ctx.caller.id, path.spaceId, 'view', options);
      const visible = await unlessNotFound(space);
      if (visible) {
        return await present(ctx, visible);
      }
    }
    const { row, site } = await publishedSpaceFor(ctx, path.spaceId, query.shareKey);
    return presentPublishedSpace(row, site.visibility, ctx.resourceUrls);
  },

  async updateSpace({ path, body }, ctx) {
    const updated = await ctx.database.transaction((trx) =>
      updateSpace(trx, ctx, { id: path.spaceId, ...body }),
    );
    return await present(ctx, updated);
  },

  async deleteSpace({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteSpace(trx, ctx, { id: path.spaceId }));
  },

  async duplicateSpace({ path }, ctx) {
    const duplicate = await ctx.database.transaction((trx) => duplicateSpace(trx, ctx, { id: path.spaceId }));
    return await present(ctx, duplicate);
  },

  async restoreSpace({ path }, ctx) {
    const restored = await ctx.database.transaction((trx) => restoreSpace(trx, ctx, { id: path.spaceId }));
    return await present(ctx, restored);
  },

  async moveSpace({ path, body }, ctx) {
    const moved = await ctx.database.transaction((trx) => moveSpace(trx, ctx, { id: path.spaceId, ...body }));
    return await present(ctx, moved);
  },

  async transferSpace({ path, body }, ctx) {
    const transfer = { id: path.spaceId, ...body };
    const copied = await copySpaceAhead(ctx, transfer);
    const transferred = await ctx.database.transaction((trx) =>
      transferSpace(trx, ctx, { ...transfer, copied }),
    );
    return await present(ctx, transferred);
  },
} satisfies Slice;

/** Converts a space. After a change outside its transaction, in which maintained counts cannot always be read. */
async function present({ database, resourceUrls }: Context, { row, access }: SpaceWithAccess) {
  const { query: queries } = database;
  const publication = await publicationFinder(queries, resourceUrls)(row.id);
  return presentSpace(await spaceCounter(queries)(row), access, resourceUrls, publication);
}
