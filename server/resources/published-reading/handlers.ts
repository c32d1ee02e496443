import type { components } from '../../../generated/schema.d.ts';
import { languageModelMissing, notFound } from '../../errors.ts';
import { presentSiteRedirect } from '../../models/site-redirects/present.ts';
import type { SiteSearchScope } from '../../models/sites/published-pages.ts';
import { decodeSegments } from '../../models/sites/urls.ts';
import { visitOf } from '../../models/sites/visitors/visit.ts';
import { siteNameOf } from '../kit/site-structure.ts';
import type { Slice } from '../kit/slice.ts';
import { presentSearch } from './present.ts';

/** Handlers of what visitors of published sites read and send besides pages. */
export const publishedReadingHandlers = {
  async searchSite({ path, query, body }, ctx) {
    const visit = await visitOf(ctx, siteNameOf(path), query.shareKey);
    const { count, pages } = await ctx.publishedPages.search(visit, body.query, scopeOf(body));
    return presentSearch(count, pages);
  },

  async getSiteRedirectBySource({ path, query: { shareKey, source } }, ctx) {
    const visit = await visitOf(ctx, siteNameOf(path), shareKey);
    const segments = decodeSegments(source);
    const found = segments && (await ctx.publishedPages.findRedirect(visit, segments));
    if (!found) {
      throw notFound('redirect');
    }
    if ('row' in found) {
      return { redirect: presentSiteRedirect(found.row, ctx.resourceUrls), target: found.url };
    }
    return {
      redirect: {
        object: 'site-redirect',
        id: found.page,
        source,
        draft: false,
        captureWildcard: false,
        permanent: true,
        destination: { kind: 'site-page', siteSpaceId: found.siteSpace, pageId: found.page },
      },
      target: found.url,
    };
  },

  async recordSiteEvents({ path, query }, ctx) {
    await visitOf(ctx, siteNameOf(path), query.shareKey);
  },

  async askSite({ path, query }, ctx) {
    await visitOf(ctx, siteNameOf(path), query.shareKey);
    throw languageModelMissing();
  },
} satisfies Slice;

/** Returns the scope of a search, which earlier clients state beside the query. */
function scopeOf(body: components['schemas']['SiteSearch']): SiteSearchScope {
  const { scope, mode, siteSpaceId, siteSpaceIds } = body;
  if (scope?.mode === 'default') {
    const part = scope.restrictTo && (scope.restrictTo === 'currentSiteSpace' ? 'current' : 'others');
    return { mode: 'default', current: scope.currentSiteSpace, part };
  }
  if (scope) {
    return scope.mode === 'all' ? { mode: 'all' } : { mode: 'specific', siteSpaces: scope.siteSpaceIds };
  }
  if (siteSpaceIds && (mode === undefined || mode === 'specific')) {
    return { mode: 'specific', siteSpaces: siteSpaceIds };
  }
  return mode === 'all' ? { mode: 'all' } : { mode: 'default', current: siteSpaceId };
}
