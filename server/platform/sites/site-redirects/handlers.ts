import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { siteFor } from '../sites/queries.ts';
import { changeSite, siteNameOf } from '../structure/read.ts';
import { presentSiteRedirect } from './present.ts';
import { siteRedirectOf, siteRedirectsOf } from './queries.ts';
import { createSiteRedirect, deleteSiteRedirect, updateSiteRedirect } from './rules.ts';

/** Handlers of the redirects of a site. */
export const siteRedirectHandlers = {
  async listSiteRedirects({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { row: site } = await siteFor(queries, ctx.caller.id, siteNameOf(path), 'view');
    return await answerList(ctx, siteRedirectsOf(queries, site.id), query, {
      list: 'listSiteRedirects',
      filters: { site: site.id },
      order: [
        { column: 'siteRedirects.createdAt', direction: 'asc' },
        { column: 'siteRedirects.id', direction: 'asc' },
      ],
      present: (row) => presentSiteRedirect(row, ctx.resourceUrls),
    });
  },

  async createSiteRedirect({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) =>
      presentSiteRedirect(await createSiteRedirect(trx, ctx, siteNameOf(path), body), ctx.resourceUrls),
    );
  },

  async getSiteRedirect({ path }, { caller, database: { query: queries }, resourceUrls }) {
    const { row: site } = await siteFor(queries, caller.id, siteNameOf(path), 'view');
    return presentSiteRedirect(await siteRedirectOf(queries, site.id, path.siteRedirectId), resourceUrls);
  },

  async updateSiteRedirect({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) =>
      presentSiteRedirect(
        await updateSiteRedirect(trx, ctx, { ...siteNameOf(path), redirect: path.siteRedirectId }, body),
        ctx.resourceUrls,
      ),
    );
  },

  async deleteSiteRedirect({ path }, ctx) {
    const name = { ...siteNameOf(path), redirect: path.siteRedirectId };
    await ctx.database.transaction((trx) => deleteSiteRedirect(trx, ctx, name));
  },
} satisfies Slice;
