import type { components } from '../../../../generated/schema.d.ts';
import { languageModelFailed, languageModelMissing, notFound, unavailable } from '../../../errors/errors.ts';
import { completeChat, LanguageModelError } from '../../../outgoing/language-model.ts';
import type { Slice } from '../../kit/slice.ts';
import { decodeSegments } from '../../spaces/publications/urls.ts';
import { presentSiteRedirect } from '../site-redirects/present.ts';
import { siteNameOf } from '../structure/read.ts';
import type { SiteSearchScope } from '../visitors/published-pages.ts';
import { visitOf } from '../visitors/visit.ts';
import { presentSearch, presentSource } from './present.ts';
import { createQuestion, MAX_ANSWER_TOKENS } from './rules.ts';

/** Handlers of what visitors of published sites read and send besides pages. */
export const publishedReadingHandlers = {
  async searchSite({ path, query, body }, ctx) {
    const visit = await visitOf(ctx, siteNameOf(path), query.shareKey);
    return presentSearch(body.query, await ctx.publishedPages.search(visit, body.query, scopeOf(body)));
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

  async askSite({ path, query, body }, ctx) {
    const { languageModel, publishedPages, slots, signal } = ctx;
    const visit = await visitOf(ctx, siteNameOf(path), query.shareKey);
    if (!languageModel) {
      throw languageModelMissing();
    }
    using _slot = await slots.questions.enter(visit.site.organization, unavailable);
    const { pages } = await publishedPages.search(visit, body.question, scopeOf(body));
    if (pages.length === 0) {
      return { sources: [] };
    }
    const { messages, sources } = createQuestion(body.question, pages);
    try {
      const answer = await completeChat(languageModel, { messages, maxTokens: MAX_ANSWER_TOKENS, signal });
      return { answer, sources: sources.map(presentSource) };
    } catch (error) {
      if (error instanceof LanguageModelError) {
        if (!signal.aborted) {
          ctx.log.warn({ site: visit.site.id, err: error }, 'the language model failed');
        }
        throw languageModelFailed(error.message);
      }
      throw error;
    }
  },
} satisfies Slice;

/** Returns the scope of a search, which earlier clients state beside the query. */
function scopeOf(body: Omit<components['schemas']['SiteSearch'], 'query'>): SiteSearchScope {
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
