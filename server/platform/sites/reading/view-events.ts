/** What views of pages report about their visitors. */
import { parseCookie } from 'cookie';
import type { Request } from 'express';
import { preferredLanguage } from '../../../contract/response/accept.ts';
import { isOwnCookie } from '../../integrations/calls/cookies.ts';
import type { PageView, ViewRecorder } from '../../integrations/view-events/views.ts';
import type { ReadingSite } from './reading-site.ts';
import type { PageContext } from './views/view-context.ts';

/** Maximum length of the cookies that a view reports. If they are longer, it reports none. */
export const MAX_COOKIE_CHARACTERS = 4096;

/** Reports a view of a page to the integrations that receive views. */
export function recordView(
  {
    req,
    reading,
    query,
    views,
  }: { req: Request; reading: ReadingSite; query: URLSearchParams; views: ViewRecorder },
  { siteSpace, space, navigation, page }: PageContext,
): void {
  if (!isView(req)) {
    return;
  }
  const url = reading.absolute(reading.pageHref(siteSpace, navigation, page));
  views.record({
    organization: reading.site.organization,
    site: reading.site.id,
    siteSpace: siteSpace.row.id,
    space: space.id,
    page: page.record.id,
    url: query.size > 0 ? `${url}?${query}` : url,
    referrer: req.get('Referer'),
    visitor: visitorOf(req),
  });
}

/** Returns whether a visitor requested a page to read it, not ahead of time. */
const isView = (req: Request): boolean =>
  req.method === 'GET' && !/prefetch|prerender/i.test(req.get('Sec-Purpose') ?? req.get('Purpose') ?? '');

/** Returns the visitor of a request, without the cookies that contain credentials of this service. */
export function visitorOf(req: Request): PageView['visitor'] {
  const header = req.headers.cookie ?? '';
  const cookies = header.length > MAX_COOKIE_CHARACTERS ? {} : parseCookie(header);
  const reported = Object.entries(cookies).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isOwnCookie(entry[0]),
  );
  return {
    ip: req.ip,
    userAgent: req.get('User-Agent'),
    language: preferredLanguage(req),
    cookies: Object.fromEntries(reported),
  };
}
