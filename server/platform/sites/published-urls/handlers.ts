import type { components } from '../../../../generated/schema.d.ts';
import type { Slice } from '../../kit/slice.ts';
import { type ResolvedContent, resolvePublishedUrl, type UrlRedirect } from '../visitors/resolve-url.ts';

/** Handler of the URLs of published content. */
export const publishedUrlHandlers = {
  async resolvePublishedUrl({ body }, ctx) {
    const { url, redirectOnError, visitor } = body;
    const resolved = await resolvePublishedUrl(ctx, {
      url,
      redirectOnError,
      visitorToken: visitor?.jwtToken ?? ctx.visitor?.token,
      unsignedClaims: visitor?.unsignedClaims,
      caller: ctx.visitor ? undefined : ctx.caller.id,
    });
    return 'redirect' in resolved ? presentRedirect(resolved) : presentContent(resolved);
  },
} satisfies Slice;

const presentRedirect = ({
  site,
  ...redirect
}: UrlRedirect): components['schemas']['PublishedUrlRedirect'] => ({
  ...redirect,
  site: site.id,
});

const presentContent = ({
  site,
  siteSection,
  shareKey,
  contextId,
  ...content
}: ResolvedContent): components['schemas']['PublishedUrlContent'] => ({
  ...content,
  organization: site.organization,
  site: site.id,
  ...(siteSection !== undefined && { siteSection }),
  ...(shareKey !== undefined && { shareKey }),
  ...(contextId !== undefined && { contextId }),
});
