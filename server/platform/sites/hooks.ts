import type { Hooks } from '../kit/hooks.ts';
import type { Context } from '../kit/slice.ts';
import { findUrlBlocks } from './site-integrations/url-blocks.ts';
import { siteExpander } from './sites/present/installed.ts';
import { siteFor } from './sites/queries.ts';
import { removeFromSites } from './structure/removal.ts';
import { publishedSpaceFor } from './visitors/published-space.ts';

/** What earlier domains call of the sites. */
export const siteHooks: Hooks<Context> = {
  removeFromSites,
  publishedSpaceFor,
  findUrlBlocks,
  siteExpander,
  async requireVisibleSite(queries, caller, site) {
    await siteFor(queries, caller, site, 'view');
  },
};
