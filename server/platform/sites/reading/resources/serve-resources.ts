/** Serves what a site has besides pages: feeds, search, files, PDFs, and the scripts and blocks of integrations. */
import { Documents } from '../../../../content/threads/documents.ts';
import { closeWhenStalled } from '../../../../contract/response/stall.ts';
import { notFound } from '../../../../errors/errors.ts';
import { sendFile } from '../../../kit/routes/send-file.ts';
import {
  firstSiteSpaceOf,
  type SiteSpaceEntry,
  siteSpacesOf,
} from '../../../spaces/publications/structure.ts';
import { SiteAnchors } from '../anchors.ts';
import { FEEDBACK_PATH } from '../feedback/address.ts';
import { serveFeedback } from '../feedback/serve.ts';
import { sendBlock } from '../integrations/block.ts';
import { REPORTS_PATH } from '../integrations/policy.ts';
import { receiveReport } from '../integrations/reports.ts';
import { sendScript } from '../integrations/script.ts';
import { policyOf, readPage } from '../read-page.ts';
import type { ReadingServices } from '../reading-site.ts';
import { blocksPath } from '../render-content.ts';
import { sendPage, sendText, setSiteHeaders, setTextPolicy } from '../respond.ts';
import { ResponseText } from '../response-text.ts';
import { cachingOf, type SiteRequest } from '../site-request.ts';
import { externalDestination, fileHref } from '../targets.ts';
import { searchPage } from '../templates/search.ts';
import { frameView } from '../views/frame-view.ts';
import { isReadable } from '../views/navigation.ts';
import { MAX_PANEL_RESULTS, MAX_QUERY_CHARACTERS, MAX_RESULTS, search } from '../views/search-view.ts';
import { viewContext } from '../views/view-context.ts';
import type { Assets } from './assets.ts';
import { readFeed, readFullText } from './feeds.ts';
import { findFont } from './fonts.ts';
import { readLogo } from './logo.ts';
import { siteRobots } from './robots.ts';

/** File for search engines or agents. */
type Feed = 'sitemap.xml' | 'robots.txt' | 'llms.txt' | 'llms-full.txt';

const FEEDS: ReadonlySet<string> = new Set<Feed>(['sitemap.xml', 'robots.txt', 'llms.txt', 'llms-full.txt']);

/** Whether an address is that of a feed, and not of a section or site space with this path. */
export const isFeed = (name: string, { reading, segments }: SiteRequest): name is Feed =>
  segments.length === 1 && FEEDS.has(name) && reading.paths.resolve(segments)?.page.length === 1;

/** Serves the files that search engines and agents read. Returns whether the site has it. */
export async function serveFeed(
  services: ReadingServices,
  { req, res, reading }: SiteRequest,
  name: Feed,
): Promise<boolean> {
  const caching = cachingOf(reading);
  if (name === 'robots.txt') {
    const text = siteRobots(reading.site, reading.url);
    await sendText(req, res, { type: 'text/plain; charset=utf-8', text: new ResponseText(text) }, caching);
    return true;
  }
  const feed = await (name === 'llms-full.txt' ? readFullText(services, reading) : readFeed(reading, name));
  if (!feed) {
    return false;
  }
  setSiteHeaders(res, caching);
  setTextPolicy(res);
  closeWhenStalled(res);
  await feed.send(req, res);
  return true;
}

/**
 * Serves what is not a page of a space. No page has a path that starts with a tilde. Returns whether the site has it.
 */
export async function serveResource(
  services: ReadingServices,
  assets: Assets,
  request: SiteRequest,
): Promise<boolean> {
  const { req, res, reading, segments, query } = request;
  const [kind, siteSpaceId, id] = segments;
  const caching = { ...cachingOf(reading), isIndexed: false };
  const text = (query.get('q') ?? '').slice(0, MAX_QUERY_CHARACTERS).trim();
  const from = siteSpacesOf(reading.structure).find(({ row }) => row.id === query.get('in'));
  if (kind === '~search.json' && segments.length === 1) {
    const { count, results } = await search(services, reading, {
      query: text,
      from,
      limit: MAX_PANEL_RESULTS,
    });
    const json = new ResponseText(JSON.stringify({ count, results }));
    await sendText(req, res, { type: 'application/json; charset=utf-8', text: json }, caching);
    return true;
  }
  if (kind === '~search' && segments.length === 1) {
    const context = await viewContext(reading, from ?? firstSiteSpaceOf(reading.structure));
    const view = await search(services, reading, {
      query: text,
      from: context.siteSpace,
      limit: MAX_RESULTS,
    });
    const html = searchPage(await frameView(context, assets), view);
    const page = { status: 200, text: new ResponseText(html), policy: policyOf(reading) };
    await sendPage(req, res, page, caching);
    return true;
  }
  if (kind === REPORTS_PATH && segments.length === 1 && reading.integrations.scripts.length > 0) {
    await receiveReport(request, request.violations);
    return true;
  }
  const siteSpace = siteSpacesOf(reading.structure).find(({ row }) => row.id === siteSpaceId);
  if (kind === '~files' && siteSpace && id !== undefined && segments.length <= 4) {
    await serveFile(services, request, siteSpace, id);
    return true;
  }
  if (kind === '~pdf' && siteSpace && segments.length <= 3 && reading.customization.pdf.enabled) {
    await servePdf(services, request, siteSpace, id);
    return true;
  }
  if (kind === FEEDBACK_PATH && siteSpace && segments.length === 3) {
    return await serveFeedback(services, assets, request, siteSpace);
  }
  const script = reading.integrations.scripts.find(({ installation }) => installation === siteSpaceId);
  if (kind === '~scripts' && script && segments.length === 3) {
    await sendScript(services, { req, res, site: reading.site.id }, script, caching);
    return true;
  }
  return (
    kind === '~blocks' &&
    siteSpace !== undefined &&
    segments.length === 4 &&
    (await serveBlock(services, assets, request, siteSpace))
  );
}

/** Serves a block of an integration in a page that its visitor sees. Returns whether the page has it. */
async function serveBlock(
  services: ReadingServices,
  assets: Assets,
  { req, res, reading, segments }: SiteRequest,
  siteSpace: SiteSpaceEntry,
): Promise<boolean> {
  const [, , id = '', key] = segments;
  const context = await viewContext(reading, siteSpace);
  const page = context.navigation.find(id);
  if (!isReadable(page)) {
    return false;
  }
  const { blocks = [] } = await readPage(services, assets, { ...context, page });
  const shown = blocks.find((block) => block.key === key);
  const block =
    shown &&
    reading.integrations.blocks.find(
      ({ integration, definition, isIn }) =>
        integration === shown.integration && definition.id === shown.block && isIn(context.space.id),
    );
  if (!shown || !block) {
    return false;
  }
  const href = reading.href(`${blocksPath(siteSpace.row.id, id)}/${shown.key}`);
  const frame = await frameView(context, assets);
  const request = { req, res, site: reading.site.id, space: context.space, block, shown, frame, href };
  await sendBlock(services, request, cachingOf(reading, false));
  return true;
}

async function serveFile(
  services: ReadingServices,
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
  await sendFile(req, res, services, { ...file, organization, caching });
}

/** Serves a PDF of a page, or of a space, as the visitor sees it. */
async function servePdf(
  services: ReadingServices,
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
  const { header, styling } = reading.customization;
  const logo = header.logo?.light;
  const documents = new Documents(services.threads, space.organization);
  const app = services.resourceUrls.at('/app');
  const content = await reading.open(space);
  const anchors = new SiteAnchors({ reading, documents, app, space, content });
  await services.pdfs.send(req, res, selection, {
    key: `visitor ${reading.version} ${siteSpace.row.id}`,
    claims: reading.claims,
    includes: (id) => navigation.find(id)?.isShown === true,
    pageUrl: (id) => {
      const target = navigation.find(id);
      return reading.absolute(target ? reading.pageHref(siteSpace, navigation, target) : reading.href(''));
    },
    describeOutside: async (address) => {
      const { url, ...label } = await externalDestination({ reading, section: undefined }, address);
      const isUnknown = url === undefined && label.title === undefined;
      return isUnknown ? undefined : { ...label, url: url === undefined ? undefined : reading.absolute(url) };
    },
    findSectionOutside: async ({ space: id, page: target, anchor }) => {
      const shown = reading.siteSpaceOf(id);
      const found = shown && (await anchors.findElsewhere(reading.spaceOf(shown), target, anchor));
      return found?.title;
    },
    fileUrl: (file) => reading.absolute(fileHref({ reading, siteSpace }, file)),
    fonts: {
      text: findFont(styling.font)?.package,
      mono: findFont(styling.monospaceFont)?.package,
    },
    ...(logo !== undefined && { readLogo: () => readLogo(services, space.organization, logo) }),
  });
}
