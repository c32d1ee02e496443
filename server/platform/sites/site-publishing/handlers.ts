import type { Slice } from '../../kit/slice.ts';
import { siteFor } from '../sites/queries.ts';
import { changeSite, siteNameOf } from '../structure/read.ts';
import { presentPublishingAuth } from './present.ts';
import { regenerateSigningKey, updatePublishingAuth } from './rules.ts';

/** Handlers of the authentication of the visitors of a site. */
export const sitePublishingHandlers = {
  async getSitePublishingAuth({ path }, ctx) {
    const { row } = await siteFor(ctx.database.query, ctx.caller.id, siteNameOf(path), 'structure');
    return presentPublishingAuth(row, ctx);
  },

  async updateSitePublishingAuth({ path, body }, ctx) {
    const row = await changeSite(ctx, path, (trx) =>
      updatePublishingAuth(trx, ctx, { ...siteNameOf(path), ...body }),
    );
    return presentPublishingAuth(row, ctx);
  },

  async regenerateSitePublishingAuth({ path }, ctx) {
    const row = await changeSite(ctx, path, (trx) => regenerateSigningKey(trx, ctx, siteNameOf(path)));
    return presentPublishingAuth(row, ctx);
  },
} satisfies Slice;
