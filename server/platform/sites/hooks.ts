import { lazily } from '../../contract/lazily.ts';
import type { Hooks } from '../kit/hooks.ts';
import type { Context } from '../kit/slice.ts';
import { removeFromSites } from './structure/removal.ts';

/**
 * What earlier domains call of the sites. Modules are loaded with the first call, except for that of a rule, whose
 * transaction must not wait.
 */
export const siteHooks: Hooks<Context> = {
  removeFromSites,
  async publishedSpaceFor(...parameters) {
    const { publishedSpaceFor } = await import('./visitors/published-space.ts');
    return await publishedSpaceFor(...parameters);
  },
  async findUrlBlocks(...parameters) {
    const { findUrlBlocks } = await import('./site-integrations/url-blocks.ts');
    return await findUrlBlocks(...parameters);
  },
  siteExpander(...parameters) {
    const expander = lazily(async () => {
      const { siteExpander } = await import('./sites/present/installed.ts');
      return siteExpander(...parameters);
    });
    return async (installation) => (await expander())(installation);
  },
  async requireVisibleSite(queries, caller, site) {
    const { siteFor } = await import('./sites/queries.ts');
    await siteFor(queries, caller, site, 'view');
  },
};
