/** Serves the addresses of a site to admitted visitors. */
import { firstSiteSpaceOf } from '../../spaces/publications/structure.ts';
import { cachedPage } from './cache.ts';
import {
  findDestination,
  hrefWithAnchor,
  isCurrentAddress,
  type PageDestination,
  spaceDestination,
} from './destination.ts';
import { policyOf, readPage } from './read-page.ts';
import type { ReadingServices } from './reading-site.ts';
import type { Assets } from './resources/assets.ts';
import { pageMarkdown } from './resources/feeds.ts';
import { isFeed, serveFeed, serveResource } from './resources/serve-resources.ts';
import { redirect, sendPage, sendText } from './respond.ts';
import { ResponseText } from './response-text.ts';
import { cachingOf, type SiteRequest } from './site-request.ts';
import { recordView } from './view-events.ts';
import { frameView } from './views/frame-view.ts';
import { emptyPage, errorPage } from './views/messages.ts';
import { isReadable } from './views/navigation.ts';
import { type ViewContext, viewContext } from './views/view-context.ts';

const MARKDOWN = /\.md$/;

/** Serves an address of a site to an admitted visitor. */
export async function serveSite(
  services: ReadingServices,
  assets: Assets,
  request: SiteRequest,
): Promise<void> {
  const { reading, segments } = request;
  const [first = ''] = segments;
  if (first.startsWith('~')) {
    if (!(await serveResource(services, assets, request))) {
      const context = await viewContext(reading, firstSiteSpaceOf(reading.structure));
      await sendNotFound(request, assets, context);
    }
  } else if (!(isFeed(first, request) && (await serveFeed(services, request, first)))) {
    await servePath(services, assets, request);
  }
}

/** Serves the page at a path, as HTML or as Markdown, or redirects to its current path. */
async function servePath(services: ReadingServices, assets: Assets, request: SiteRequest): Promise<void> {
  const { req, res, reading, segments, query } = request;
  const space = await spaceDestination(reading, segments);
  const { context, path } = space;
  if (!context.navigation.resolve(path) && (await serveMarkdown(services, request, context, path))) {
    return;
  }
  const destination = await findDestination(services, space, segments);
  if (!destination) {
    await (path.length === 0 ? sendEmpty(request, assets, context) : sendNotFound(request, assets, context));
    return;
  }
  if ('row' in destination) {
    const caching = cachingOf(reading);
    const { row, href } = destination;
    const status = row.permanent === 1 && caching.isPublic ? 308 : 307;
    redirect(res, status, href.startsWith('/') ? withQuery(href, query) : href, caching);
    return;
  }
  const { page, href } = destination;
  if (!isReadable(page) || !isCurrent(request, destination)) {
    redirect(res, 308, hrefWithAnchor(withQuery(href, query), destination), cachingOf(reading));
    return;
  }
  const document = await readPage(services, assets, { ...context, page });
  await sendPage(
    req,
    res,
    { ...document, policy: policyOf(reading) },
    cachingOf(reading, document.isIndexed),
  );
  recordView(request, { ...context, page });
}

/** Serves the Markdown of a page for its path with `.md`. Returns whether the site has the page. */
async function serveMarkdown(
  services: ReadingServices,
  { req, res, reading }: SiteRequest,
  context: ViewContext,
  path: readonly string[],
): Promise<boolean> {
  const { navigation, siteSpace, space } = context;
  const last = path.at(-1) ?? '';
  if (!reading.isForAgents || !MARKDOWN.test(last)) {
    return false;
  }
  const page = navigation.resolve([...path.slice(0, -1), last.replace(MARKDOWN, '')]);
  if (!page) {
    return false;
  }
  const key = `${reading.version} ${siteSpace.row.id} ${page.record.id} Markdown`;
  const { text } = await cachedPage(key, async () => {
    const content = await reading.open(space);
    const text = new ResponseText(await pageMarkdown(services, { ...context, page, content }));
    return { status: 200, text, isIndexed: false };
  });
  const caching = { ...cachingOf(reading), isIndexed: false };
  await sendText(req, res, { type: 'text/markdown; charset=utf-8', text }, caching);
  return true;
}

/** Returns whether a page is requested at its current address, without a slash at the end. */
function isCurrent({ reading, segments, path }: SiteRequest, destination: PageDestination): boolean {
  const isRoot = segments.length === 0 && reading.base === '';
  return isCurrentAddress(reading, segments, destination) && (isRoot || !path.endsWith('/'));
}

const withQuery = (href: string, query: URLSearchParams): string =>
  query.size > 0 ? `${href}?${query}` : href;

async function sendNotFound(
  { req, res, reading }: SiteRequest,
  assets: Assets,
  context: ViewContext,
): Promise<void> {
  const page = await cachedPage(`${reading.version} ${context.siteSpace.row.id} not found`, async () => {
    const text = new ResponseText(errorPage(await frameView(context, assets), 404, undefined));
    return { status: 404, text, isIndexed: false };
  });
  await sendPage(req, res, { ...page, policy: policyOf(reading) }, cachingOf(reading, false));
}

/** Sends the page of a space without pages. */
async function sendEmpty(
  { req, res, reading }: SiteRequest,
  assets: Assets,
  context: ViewContext,
): Promise<void> {
  const page = await cachedPage(`${reading.version} ${context.siteSpace.row.id} empty`, async () => {
    const text = new ResponseText(emptyPage(await frameView(context, assets)));
    return { status: 200, text, isIndexed: false };
  });
  await sendPage(req, res, { ...page, policy: policyOf(reading) }, cachingOf(reading, false));
}
