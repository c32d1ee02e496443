import { type SiteName, siteFor } from '../../models/sites/queries.ts';
import { openSigningKey } from '../../models/sites/signing-keys.ts';
import type { SiteRow } from '../../models/sites/structure.ts';
import { siteLock } from '../kit/locks.ts';
import type { Context, Slice } from '../kit/slice.ts';
import { regenerateSigningKey, updatePublishingAuth } from './rules.ts';

/** Handlers of the authentication of the visitors of a site. */
export const sitePublishingHandlers = {
  async getSitePublishingAuth({ path }, ctx) {
    const { row } = await siteFor(ctx.database.query, ctx.caller.id, nameOf(path), 'structure');
    return present(row, ctx);
  },

  async updateSitePublishingAuth({ path, body }, ctx) {
    const name = nameOf(path);
    const row = await ctx.database.transaction(
      (trx) => updatePublishingAuth(trx, ctx, { ...name, ...body }),
      { lock: siteLock(name.site) },
    );
    return present(row, ctx);
  },

  async regenerateSitePublishingAuth({ path }, ctx) {
    const name = nameOf(path);
    const row = await ctx.database.transaction((trx) => regenerateSigningKey(trx, ctx, name), {
      lock: siteLock(name.site),
    });
    return present(row, ctx);
  },
} satisfies Slice;

const nameOf = (path: { organizationId: string; siteId: string }): SiteName => ({
  organization: path.organizationId,
  site: path.siteId,
});

const present = (row: SiteRow, { secretKey }: Context) => ({
  object: 'site-publishing-auth' as const,
  privateKey: openSigningKey(secretKey, row),
  ...(row.fallbackURL !== null && { fallbackURL: row.fallbackURL }),
});
