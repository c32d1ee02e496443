import type { Queries } from '../../database/database.ts';
import { requireMember } from '../../identity/membership.ts';
import { sitePresenter } from '../../models/sites/present.ts';
import { type SiteName, type SiteWithAccess, siteFor, sitesVisibleTo } from '../../models/sites/queries.ts';
import { answerList } from '../kit/list.ts';
import { creationLock, siteLock } from '../kit/locks.ts';
import type { Context, Slice } from '../kit/slice.ts';
import { createSite, deleteSite, setPublished, updateSite } from './rules.ts';

/** Handlers of sites, which publish spaces of an organization together. */
export const siteHandlers = {
  async listSites({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const organization = path.organizationId;
    const member = await requireMember(queries, ctx.caller.id, organization);
    const { limit: _limit, page: _page, ...filters } = query;
    const isWhole = member.role !== undefined && Object.keys(filters).length === 0;
    return await answerList(ctx, await sitesVisibleTo(queries, member, filters), query, {
      list: 'listSites',
      filters: { organization, ...filters },
      order: [
        { column: 'sites.createdAt', direction: 'asc' },
        { column: 'sites.id', direction: 'asc' },
      ],
      count: isWhole ? { organization, kind: 'sites' } : undefined,
      present: sitePresenter(queries, member, ctx.resourceUrls),
    });
  },

  async createSite({ path, body }, ctx) {
    const organization = path.organizationId;
    return await ctx.database.transaction(
      async (trx) => present(trx, ctx, await createSite(trx, ctx, { organization, ...body })),
      { lock: creationLock(organization) },
    );
  },

  async getSite({ path }, ctx) {
    const { query: queries } = ctx.database;
    return await present(queries, ctx, await siteFor(queries, ctx.caller.id, nameOf(path), 'view'));
  },

  async updateSite({ path, body }, ctx) {
    return await ctx.database.transaction(
      async (trx) => present(trx, ctx, await updateSite(trx, ctx, { ...nameOf(path), ...body })),
      { lock: siteLock(path.siteId) },
    );
  },

  async deleteSite({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteSite(trx, ctx, nameOf(path)), {
      lock: siteLock(path.siteId),
    });
  },

  async publishSite({ path }, ctx) {
    return await publish(ctx, { ...nameOf(path), published: true });
  },

  async unpublishSite({ path }, ctx) {
    return await publish(ctx, { ...nameOf(path), published: false });
  },
} satisfies Slice;

const publish = (ctx: Context, change: SiteName & { published: boolean }) =>
  ctx.database.transaction(async (trx) => present(trx, ctx, await setPublished(trx, ctx, change)), {
    lock: siteLock(change.site),
  });

const present = (queries: Queries, { resourceUrls }: Context, { row, member }: SiteWithAccess) =>
  sitePresenter(queries, member, resourceUrls)(row);

const nameOf = (path: { organizationId: string; siteId: string }): SiteName => ({
  organization: path.organizationId,
  site: path.siteId,
});
