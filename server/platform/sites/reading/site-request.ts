/** Requests of addresses of sites, from admitted visitors. */
import type { Request, Response } from 'express';
import type { RateLimit } from '../../../contract/index.ts';
import type { ViewRecorder } from '../../integrations/view-events/views.ts';
import type { ViolationRecorder } from '../../integrations/view-events/violations.ts';
import type { SiteAddress } from '../../spaces/publications/urls.ts';
import { FEEDBACK_PATH } from './feedback/address.ts';
import { REPORTS_PATH } from './integrations/policy.ts';
import type { ReadingSite } from './reading-site.ts';
import type { Caching } from './respond.ts';

/** The request of an address of a site, from an admitted visitor. */
export interface SiteRequest {
  req: Request;
  res: Response;
  reading: ReadingSite;
  /** Decoded segments of the path below the address of the site. */
  segments: readonly string[];
  query: URLSearchParams;
  /** Encoded path of the request. */
  path: string;
  views: ViewRecorder;
  violations: ViolationRecorder;
  /** Limit of the opinions of an address. */
  feedbackLimit: RateLimit;
}

/** Whether a response may be cached for all visitors. */
export const cachingOf = ({ site }: ReadingSite, isPageIndexed = site.visibility === 'public'): Caching => ({
  isPublic: (site.visibility === 'public' || site.visibility === 'unlisted') && site.adaptiveContent === 0,
  isIndexed: isPageIndexed,
});

/** Methods of an address: of what is not a page, some addresses only receive. */
export function methodsOf({ path: [kind] }: SiteAddress): readonly string[] {
  if (kind === REPORTS_PATH) {
    return ['POST'];
  }
  return kind === '~blocks' || kind === FEEDBACK_PATH ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
}
