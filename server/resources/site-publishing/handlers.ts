import { siteFor } from '../../models/sites/queries.ts';
import { openSigningKey } from '../../models/sites/signing-keys.ts';
import type { SiteRow } from '../../models/sites/structure.ts';
import { changeSite, siteNameOf } from '../kit/site-structure.ts';
import type { Context, Slice } from '../kit/slice.ts';
import { regenerateSigningKey, updatePublishingAuth } from './rules.ts';

/** Handlers of the authentication of the visitors of a site. */
export const sitePublishingHandlers = {
  async getSitePublishingAuth({ path }, ctx) {
    const { row } = await siteFor(ctx.database.query, ctx.caller.id, siteNameOf(path), 'structure');
    return present(row, ctx);
  },

  async updateSitePublishingAuth({ path, body }, ctx) {
    const row = await changeSite(ctx, path, (trx) =>
      updatePublishingAuth(trx, ctx, { ...siteNameOf(path), ...body }),
    );
    return present(row, ctx);
  },

  async regenerateSitePublishingAuth({ path }, ctx) {
    const row = await changeSite(ctx, path, (trx) => regenerateSigningKey(trx, ctx, siteNameOf(path)));
    return present(row, ctx);
  },
} satisfies Slice;

const present = (row: SiteRow, { secretKey }: Context) => ({
  object: 'site-publishing-auth' as const,
  privateKey: openSigningKey(secretKey, row),
  backend: row.authIntegration === null ? ('custom' as const) : ('integration' as const),
  ...(row.authIntegration !== null && { integration: row.authIntegration }),
  ...(row.fallbackURL !== null && { fallbackURL: row.fallbackURL }),
});
