import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { siteFor } from '../sites/queries.ts';
import { changeSite, type SitePath, siteNameOf } from '../structure/read.ts';
import { presentShareLink } from './present.ts';
import { shareLinksOf } from './queries.ts';
import { createShareLink, deleteShareLink, updateShareLink } from './rules.ts';

/** Handlers of share links. Only users who can edit the site can read them: their URLs contain secrets. */
export const shareLinkHandlers = {
  async listShareLinks({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { row: site } = await siteFor(queries, ctx.caller.id, siteNameOf(path), 'structure');
    return await answerList(ctx, shareLinksOf(queries, site.id), query, {
      list: 'listShareLinks',
      filters: { site: site.id },
      order: [
        { column: 'shareLinks.createdAt', direction: 'asc' },
        { column: 'shareLinks.id', direction: 'asc' },
      ],
      present: (row) => presentShareLink(row, site, ctx),
    });
  },

  async createShareLink({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const { row, site } = await createShareLink(trx, ctx, { ...siteNameOf(path), ...body });
      return presentShareLink(row, site, ctx);
    });
  },

  async updateShareLink({ path, body }, ctx) {
    return await ctx.database.transaction(async (trx) => {
      const { row, site } = await updateShareLink(trx, ctx, { ...shareLinkNameOf(path), ...body });
      return presentShareLink(row, site, ctx);
    });
  },

  async deleteShareLink({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteShareLink(trx, ctx, shareLinkNameOf(path)));
  },
} satisfies Slice;

const shareLinkNameOf = (path: SitePath & { shareLinkId: string }) => ({
  ...siteNameOf(path),
  shareLink: path.shareLinkId,
});
