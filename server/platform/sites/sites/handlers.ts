import type { Queries } from '../../../database/database.ts';
import { requireMember } from '../../../identity/membership.ts';
import { answerList } from '../../kit/list.ts';
import { creationLock } from '../../kit/locks.ts';
import type { Context, Slice } from '../../kit/slice.ts';
import { siteBytes, sitesById } from '../../spaces/publications/rows.ts';
import {
  changedStructure,
  changeSite,
  readPublishedStructure,
  type SitePath,
  siteNameOf,
} from '../structure/read.ts';
import { presentPublishedSite } from './present/published.ts';
import { sitePresenter } from './present.ts';
import { readCustomization } from './queries/customization.ts';
import { listedSites, type SiteWithAccess, siteFor } from './queries.ts';
import { readPublished } from './rules/published.ts';
import { replaceCustomization, sortStructure } from './rules/settings.ts';
import { createSite, deleteSite, setPublished, updateSite } from './rules.ts';

/** Handlers of sites, which publish spaces of an organization together. */
export const siteHandlers = {
  async listSites({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const organization = path.organizationId;
    const member = await requireMember(queries, ctx.caller.id, organization);
    const { limit: _limit, page: _page, ...filters } = query;
    const { rows, count } = await listedSites(queries, member, filters);
    return await answerList(ctx, rows, query, {
      list: 'listSites',
      filters: { organization, ...filters },
      order: [
        { column: 'sites.createdAt', direction: 'asc' },
        { column: 'sites.id', direction: 'asc' },
      ],
      bytes: siteBytes,
      byKey: (ids) => sitesById(queries, ids),
      count,
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
    return await present(queries, ctx, await siteFor(queries, ctx.caller.id, siteNameOf(path), 'view'));
  },

  async updateSite({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) =>
      present(trx, ctx, await updateSite(trx, ctx, { ...siteNameOf(path), ...body })),
    );
  },

  async deleteSite({ path }, ctx) {
    await changeSite(ctx, path, (trx) => deleteSite(trx, ctx, siteNameOf(path)));
  },

  async publishSite({ path }, ctx) {
    return await publish(ctx, path, true);
  },

  async unpublishSite({ path }, ctx) {
    return await publish(ctx, path, false);
  },

  async getSiteStructure({ path, query }, ctx) {
    return await (await readPublishedStructure(ctx, path, query.shareKey)).presenter.structure();
  },

  async sortSiteStructure({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) => {
      const sorted = await sortStructure(trx, ctx, { ...siteNameOf(path), ...body });
      return await changedStructure(trx, ctx, sorted).entryById(body.item);
    });
  },

  async getPublishedSite({ path, query }, ctx) {
    return await presentPublishedSite(ctx, await readPublished(ctx, siteNameOf(path), query.shareKey));
  },

  async getSiteCustomization({ path }, { caller, database }) {
    const { row } = await siteFor(database.query, caller.id, siteNameOf(path), 'view');
    return readCustomization(row);
  },

  async replaceSiteCustomization({ path, body }, ctx) {
    return await changeSite(ctx, path, (trx) =>
      replaceCustomization(trx, ctx, { ...siteNameOf(path), customization: body }),
    );
  },
} satisfies Slice;

const publish = (ctx: Context, path: SitePath, published: boolean) =>
  changeSite(ctx, path, async (trx) =>
    present(trx, ctx, await setPublished(trx, ctx, { ...siteNameOf(path), published })),
  );

const present = (queries: Queries, { resourceUrls }: Context, { row, member }: SiteWithAccess) =>
  sitePresenter(queries, member, resourceUrls)(row);
