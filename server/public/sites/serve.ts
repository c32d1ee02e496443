/** Serves an address of a site to an admitted visitor. */

import type { Request, Response } from 'express';
import { closeWhenStalled } from '../../contract/stall.ts';
import { notFound } from '../../errors.ts';
import type { ViewRecorder } from '../../models/integration-events/views.ts';
import {
  firstSiteSpaceOf,
  type SiteSpaceEntry,
  sectionsOf,
  siteSpacesOf,
} from '../../models/sites/structure.ts';
import { sendFile } from '../send-file.ts';
import type { Assets } from './assets.ts';
import { cachedPage } from './cache.ts';
import { pageMarkdown, readFeed } from './feeds.ts';
import { frameView, type Place } from './frame-view.ts';
import { sendBlock } from './integrations/block.ts';
import { sendScript } from './integrations/script.ts';
import { emptyPage, errorPage } from './messages.ts';
import { findMovedPage } from './moved-pages.ts';
import { isReadable, type ReadablePage } from './navigation.ts';
import { policyOf, readPage, tagOf } from './read-page.ts';
import type { ReadingServices, ReadingSite } from './reading-site.ts';
import { blocksPath } from './render-content.ts';
import { type Caching, redirect, sendPage, sendText, setSiteHeaders, setTextPolicy } from './respond.ts';
import { siteRobots } from './robots.ts';
import { MAX_PANEL_RESULTS, MAX_QUERY_CHARACTERS, MAX_RESULTS, search } from './search-view.ts';
import { fileHref } from './targets.ts';
import { searchPage } from './templates/search.ts';
import { noteView } from './views.ts';

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
}

const MARKDOWN = /\.md$/;

export async function serveSite(
  services: ReadingServices,
  assets: Assets,
  request: SiteRequest,
): Promise<void> {
  const { segments } = request;
  const [first = ''] = segments;
  if (first.startsWith('~')) {
    await serveResource(services, assets, request);
  } else if (isFeed(first, request) && (await serveFeed(request, first))) {
    return;
  } else {
    await servePath(services, assets, request);
  }
}

type Feed = 'sitemap.xml' | 'robots.txt' | 'llms.txt';

const FEEDS: ReadonlySet<string> = new Set<Feed>(['sitemap.xml', 'robots.txt', 'llms.txt']);

/** Whether an address is that of a feed, and not of a section or site space with this path. */
const isFeed = (name: string, { reading, segments }: SiteRequest): name is Feed =>
  segments.length === 1 && FEEDS.has(name) && reading.paths.resolve(segments)?.page.length === 1;

/** Serves the files that search engines and agents read. Returns whether the site has it. */
async function serveFeed({ req, res, reading }: SiteRequest, name: Feed): Promise<boolean> {
  const caching = cachingOf(reading);
  if (name === 'robots.txt') {
    const text = siteRobots(reading.site, reading.url);
    await sendText(req, res, { type: 'text/plain; charset=utf-8', text }, caching);
    return true;
  }
  const feed = await readFeed(reading, name);
  if (!feed) {
    return false;
  }
  setSiteHeaders(res, caching);
  setTextPolicy(res);
  closeWhenStalled(res);
  await feed.send(req, res);
  return true;
}

/** Whether a response may be cached for all visitors. */
const cachingOf = ({ site }: ReadingSite, isPageIndexed = site.visibility === 'public'): Caching => ({
  isPublic: (site.visibility === 'public' || site.visibility === 'unlisted') && site.adaptiveContent === 0,
  isIndexed: isPageIndexed,
});

/** Serves what is not a page of a space. No page has a path that starts with a tilde. */
async function serveResource(services: ReadingServices, assets: Assets, request: SiteRequest): Promise<void> {
  const { req, res, reading, segments, query } = request;
  const [kind, siteSpaceId, id] = segments;
  const caching = { ...cachingOf(reading), isIndexed: false };
  const text = (query.get('q') ?? '').slice(0, MAX_QUERY_CHARACTERS).trim();
  const from = siteSpacesOf(reading.structure).find(({ row }) => row.id === query.get('in'));
  if (kind === '~search.json' && segments.length === 1) {
    const found = await search(services, reading, { query: text, from, limit: MAX_PANEL_RESULTS });
    const json = JSON.stringify({ count: found.count, results: found.results });
    await sendText(req, res, { type: 'application/json; charset=utf-8', text: json }, caching);
    return;
  }
  const place = await placeOf(reading, from ?? firstSiteSpaceOf(reading.structure));
  if (kind === '~search' && segments.length === 1) {
    const found = await search(services, reading, { query: text, from: place.siteSpace, limit: MAX_RESULTS });
    const html = searchPage(await frameView(place, assets), found);
    const policy = policyOf(reading);
    await sendPage(req, res, { status: 200, html, tag: tagOf(html), policy }, caching);
    return;
  }
  const siteSpace = siteSpacesOf(reading.structure).find(({ row }) => row.id === siteSpaceId);
  if (kind === '~files' && siteSpace && id !== undefined && segments.length <= 4) {
    await serveFile(services, request, siteSpace, id);
    return;
  }
  if (kind === '~pdf' && siteSpace && segments.length <= 3 && reading.customization.pdf.enabled) {
    await servePdf(services, request, siteSpace, id);
    return;
  }
  const script = reading.integrations.scripts.find(({ installation }) => installation === siteSpaceId);
  if (kind === '~scripts' && script && segments.length === 3) {
    await sendScript(services, { req, res, site: reading.site.id }, script, caching);
    return;
  }
  if (
    kind === '~blocks' &&
    siteSpace &&
    segments.length === 4 &&
    (await serveBlock(services, assets, request, siteSpace))
  ) {
    return;
  }
  await sendNotFound(request, assets, place);
}

/** Serves a block of an integration in a page that its visitor sees. Returns whether the page has it. */
async function serveBlock(
  services: ReadingServices,
  assets: Assets,
  { req, res, reading, segments }: SiteRequest,
  siteSpace: SiteSpaceEntry,
): Promise<boolean> {
  const [, , id = '', key] = segments;
  const place = await placeOf(reading, siteSpace);
  const page = place.navigation.find(id);
  if (!isReadable(page)) {
    return false;
  }
  const { blocks = [] } = await readPage(services, assets, { ...place, page });
  const shown = blocks.find((block) => block.key === key);
  const block =
    shown &&
    reading.integrations.blocks.find(
      ({ integration, definition, isIn }) =>
        integration === shown.integration && definition.id === shown.block && isIn(place.space.id),
    );
  if (!shown || !block) {
    return false;
  }
  const href = reading.href(`${blocksPath(siteSpace.row.id, id)}/${shown.key}`);
  const frame = await frameView(place, assets);
  const request = { req, res, site: reading.site.id, space: place.space, block, shown, frame, href };
  await sendBlock(services, request, cachingOf(reading, false));
  return true;
}

async function serveFile(
  { database }: ReadingServices,
  { req, res, reading }: SiteRequest,
  siteSpace: SiteSpaceEntry,
  id: string,
): Promise<void> {
  const space = reading.spaceOf(siteSpace);
  const file = await (await reading.open(space)).readFile(id);
  if (!file) {
    throw notFound('file');
  }
  const { isPublic } = cachingOf(reading);
  if (!isPublic) {
    res.vary('Cookie');
  }
  const { organization } = space;
  const caching = isPublic ? 'public, max-age=300' : 'private, no-cache';
  await sendFile(req, res, database.query, { ...file, organization, caching });
}

/** Serves a PDF of a page, or of a space, as the visitor sees it. */
async function servePdf(
  { pdfs }: ReadingServices,
  { req, res, reading }: SiteRequest,
  siteSpace: SiteSpaceEntry,
  page: string | undefined,
): Promise<void> {
  const space = reading.spaceOf(siteSpace);
  const navigation = await reading.navigationOf(space);
  const selected = page === undefined ? undefined : navigation.find(page);
  if (page !== undefined && !selected) {
    throw notFound('page');
  }
  setSiteHeaders(res, { isPublic: false, isIndexed: false });
  const selection = {
    space: space.id,
    revision: space.revision,
    only: page !== undefined,
    ...(page !== undefined && { page }),
  };
  await pdfs.send(req, res, selection, {
    key: `${reading.version} ${siteSpace.row.id}`,
    claims: reading.claims,
    includes: (id) => navigation.find(id)?.isShown === true,
    pageUrl: (id) => {
      const target = navigation.find(id);
      return reading.absolute(target ? reading.pageHref(siteSpace, navigation, target) : reading.href(''));
    },
    fileUrl: (file) => reading.absolute(fileHref({ reading, siteSpace }, file)),
  });
}

async function placeOf(
  reading: ReadingSite,
  siteSpace: SiteSpaceEntry | undefined,
  page?: ReadablePage,
): Promise<Place> {
  if (!siteSpace) {
    throw notFound('site');
  }
  const section = sectionsOf(reading.structure).find(({ row }) => row.id === siteSpace.row.section);
  const space = reading.spaceOf(siteSpace);
  return { reading, siteSpace, section, space, navigation: await reading.navigationOf(space), page };
}

/** Serves the page at a path, as HTML or as Markdown, or redirects to its current path. */
async function servePath(services: ReadingServices, assets: Assets, request: SiteRequest): Promise<void> {
  const { req, res, reading, segments } = request;
  const destination = reading.paths.resolve(segments);
  const place = await placeOf(reading, destination?.siteSpace);
  const path = destination?.page ?? [];
  const found = place.navigation.resolve(path);
  const last = path.at(-1) ?? '';
  if (!found && reading.isForAgents && MARKDOWN.test(last)) {
    const plain = [...path.slice(0, -1), last.replace(MARKDOWN, '')];
    const page = place.navigation.find(place.navigation.resolve(plain)?.page.record.id ?? '');
    if (isReadable(page)) {
      const key = `${reading.version} ${place.siteSpace.row.id} ${page.record.id} Markdown`;
      const { html: text } = await cachedPage(key, async () => {
        const content = await reading.open(place.space);
        const markdown = await pageMarkdown(services, { ...place, page, content });
        return { status: 200, html: markdown, tag: '', isIndexed: false };
      });
      const caching = { ...cachingOf(reading), isIndexed: false };
      await sendText(req, res, { type: 'text/markdown; charset=utf-8', text }, caching);
      return;
    }
  }
  const { navigation, siteSpace } = place;
  const redirected = found ? undefined : navigation.redirectFrom(path);
  if (redirected) {
    const { page, anchor } = redirected;
    const fragment = anchor === undefined ? '' : `#${encodeURIComponent(anchor)}`;
    const href = withQuery(reading.pageHref(siteSpace, navigation, page), request.query);
    redirect(res, 308, `${href}${fragment}`, cachingOf(reading));
    return;
  }
  const moved = found
    ? undefined
    : await findMovedPage(services.database.query, place.space, navigation, path);
  const target = found?.page ?? moved;
  if (!target) {
    await (path.length === 0 ? sendEmpty(request, assets, place) : sendNotFound(request, assets, place));
    return;
  }
  const href = reading.pageHref(siteSpace, navigation, target);
  if (!isReadable(target) || !isCurrent(request, href)) {
    redirect(res, 308, withQuery(href, request.query), cachingOf(reading));
    return;
  }
  const page = await readPage(services, assets, { ...place, page: target });
  await sendPage(req, res, { ...page, policy: policyOf(reading) }, cachingOf(reading, page.isIndexed));
  noteView(request, { ...place, page: target });
}

/** Returns whether a page is requested at its current address, without a slash at the end. */
function isCurrent({ reading, segments, path }: SiteRequest, href: string): boolean {
  const below = segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
  const isRoot = segments.length === 0 && reading.base === '';
  return reading.href(below) === href && (isRoot || !path.endsWith('/'));
}

const withQuery = (href: string, query: URLSearchParams): string =>
  query.size > 0 ? `${href}?${query}` : href;

async function sendNotFound({ req, res, reading }: SiteRequest, assets: Assets, place: Place): Promise<void> {
  const page = await cachedPage(`${reading.version} ${place.siteSpace.row.id} not found`, async () => {
    const html = errorPage(await frameView(place, assets), 404, undefined);
    return { status: 404, html, tag: '', isIndexed: false };
  });
  await sendPage(req, res, { ...page, policy: policyOf(reading) }, cachingOf(reading, false));
}

/** Sends the page of a space without pages. */
async function sendEmpty({ req, res, reading }: SiteRequest, assets: Assets, place: Place): Promise<void> {
  const page = await cachedPage(`${reading.version} ${place.siteSpace.row.id} empty`, async () => {
    const html = emptyPage(await frameView(place, assets));
    return { status: 200, html, tag: tagOf(html), isIndexed: false };
  });
  await sendPage(req, res, { ...page, policy: policyOf(reading) }, cachingOf(reading, false));
}
