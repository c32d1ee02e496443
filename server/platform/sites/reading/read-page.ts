/** Creates the pages of sites, and their policies. */
import type { Policy } from '../site-integrations/policy.ts';
import { cachedPage, type SitePage } from './cache.ts';
import { sitePolicy } from './integrations/policy.ts';
import type { ReadingServices, ReadingSite } from './reading-site.ts';
import type { Assets } from './resources/assets.ts';
import { ResponseText } from './response-text.ts';
import { page as renderPage } from './templates/page.ts';
import { frameView } from './views/frame-view.ts';
import { isIndexed, pageView } from './views/page-view.ts';
import type { PageContext } from './views/view-context.ts';

/** Returns a page as its visitor sees it. */
export const readPage = (
  services: ReadingServices,
  assets: Assets,
  context: PageContext,
): Promise<SitePage> =>
  cachedPage(`${context.reading.version} ${context.siteSpace.row.id} ${context.page.record.id}`, () =>
    createPage(services, assets, context),
  );

async function createPage(
  services: ReadingServices,
  assets: Assets,
  context: PageContext,
): Promise<SitePage> {
  const content = await context.reading.open(context.space);
  const frame = await frameView(context, assets);
  const { view, blocks } = await pageView(services, { ...context, content }, frame);
  const text = new ResponseText(renderPage(frame, view));
  return { status: 200, text, isIndexed: isIndexed(context), blocks };
}

/** Returns the policy of the pages of a site, which the policies of its scripts extend. */
export const policyOf = ({ integrations, base }: ReadingSite): ((nonce: string) => Policy) =>
  sitePolicy(integrations, base);
