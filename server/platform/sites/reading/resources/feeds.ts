/** What a site offers to search engines and agents: sitemap.xml, llms.txt, llms-full.txt, and pages as Markdown. */

import { isYieldDue, yieldToEventLoop } from '../../../../content/tree/yielding.ts';
import { escapeHtml } from '../../../../contract/docs/html.ts';
import { Resource } from '../../../../contract/docs/resources.ts';
import { unavailable } from '../../../../contract/errors.ts';
import {
  firstSiteSpaceOf,
  type SiteSpaceEntry,
  sectionsOf,
  siteSpacesOf,
} from '../../../spaces/publications/structure.ts';
import type { ReadingSpace } from '../../structure/spaces.ts';
import { SharedResults } from '../cache.ts';
import type { ReadingServices, ReadingSite } from '../reading-site.ts';
import { printContent } from '../render-content.ts';
import { feedSlots } from '../slots.ts';
import type { ReadablePage } from '../views/navigation.ts';
import { isExcluded, updatedAtOf } from '../views/page-view.ts';
import { type ContentContext, viewContext } from '../views/view-context.ts';

/** Maximum number of URLs in a sitemap (sitemaps.org). */
export const MAX_SITEMAP_URLS = 50_000;
/** Maximum number of pages in llms.txt. */
export const MAX_LISTED_PAGES = 5000;
/** Maximum number of pages with their text in llms-full.txt. */
export const MAX_FULL_PAGES = 500;
/** Maximum length of a sitemap, llms.txt or llms-full.txt, which contain no pages beyond it. */
export const MAX_FEED_CHARACTERS = 10_000_000;
/** Maximum size of the cached sitemaps, llms.txt and llms-full.txt of a process, without their compressed forms. */
export const MAX_CACHED_FEED_BYTES = 67_108_864;

const QUALITY = 3;

const feeds = new SharedResults<Resource>(
  { name: 'site-feeds', maxSize: MAX_CACHED_FEED_BYTES },
  ({ size }: Resource) => size,
);

/** Returns the sitemap or the llms.txt of a site; undefined if the site offers none. */
export async function readFeed(
  reading: ReadingSite,
  name: 'sitemap.xml' | 'llms.txt',
): Promise<Resource | undefined> {
  const isSitemap = name === 'sitemap.xml';
  // Search engines must not index other sites.
  if (isSitemap ? reading.site.visibility !== 'public' : !reading.isForAgents) {
    return undefined;
  }
  return await feeds.get(`${reading.version} ${name}`, async () => {
    using _slot = await feedSlots.enter(reading.site.organization, unavailable);
    return isSitemap
      ? new Resource('application/xml; charset=utf-8', await sitemap(reading), {}, QUALITY)
      : new Resource('text/plain; charset=utf-8', await agentIndex(reading), {}, QUALITY);
  });
}

/** Returns the texts of all pages of a site for agents (llmstxt.org); undefined if the site offers none. */
export async function readFullText(
  services: ReadingServices,
  reading: ReadingSite,
): Promise<Resource | undefined> {
  return reading.isForAgents
    ? await feeds.get(`${reading.version} llms-full.txt`, async () => {
        using _slot = await feedSlots.enter(reading.site.organization, unavailable);
        return new Resource('text/plain; charset=utf-8', await fullText(services, reading), {}, QUALITY);
      })
    : undefined;
}

async function fullText(services: ReadingServices, reading: ReadingSite): Promise<string> {
  const texts: string[] = [];
  let characters = 0;
  for await (const { siteSpace, page, space } of pagesOf(reading, MAX_FULL_PAGES)) {
    const context = await viewContext(reading, siteSpace);
    const content = await reading.open(space);
    const text = (await pageMarkdown(services, { ...context, page, content })).trimEnd();
    characters += text.length;
    if (characters > MAX_FEED_CHARACTERS) {
      break;
    }
    texts.push(text);
  }
  return `${texts.join('\n\n')}\n`;
}

async function sitemap(reading: ReadingSite): Promise<string> {
  const urls: string[] = [];
  let characters = 0;
  for await (const { href, page, space } of pagesOf(reading, MAX_SITEMAP_URLS)) {
    const updatedAt = updatedAtOf(page.record, space);
    const modified = updatedAt === undefined ? '' : `<lastmod>${updatedAt}</lastmod>`;
    const url = `<url><loc>${escapeHtml(reading.absolute(href))}</loc>${modified}</url>\n`;
    characters += url.length;
    if (characters > MAX_FEED_CHARACTERS) {
      break;
    }
    urls.push(url);
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
}

/** Returns the index of a site for agents (llmstxt.org). */
async function agentIndex(reading: ReadingSite): Promise<string> {
  const first = firstSiteSpaceOf(reading.structure);
  const title =
    reading.customization.title ?? (reading.site.title || (first ? reading.spaceOf(first).title : ''));
  const lines: string[] = [`# ${title}`, ''];
  let heading: string | undefined;
  let characters = 0;
  for await (const { section, markdownHref, page } of pagesOf(reading, MAX_LISTED_PAGES)) {
    if (section !== heading) {
      lines.push(...(heading === undefined ? [] : ['']), `## ${section}`, '');
      heading = section;
    }
    const { title: pageTitle, description } = page.record;
    const link = `- [${pageTitle.replace(/[[\]\\]/g, '\\$&')}](${reading.absolute(markdownHref)})`;
    const line = description === undefined ? link : `${link}: ${description.replace(/\s+/g, ' ')}`;
    characters += line.length;
    if (characters > MAX_FEED_CHARACTERS) {
      break;
    }
    lines.push(line);
  }
  return `${lines.join('\n')}\n`;
}

/** Lists the pages that are shown and not excluded from indexes, in order. */
async function* pagesOf(
  reading: ReadingSite,
  limit: number,
): AsyncGenerator<{
  section: string;
  href: string;
  markdownHref: string;
  page: ReadablePage;
  siteSpace: SiteSpaceEntry;
  space: ReadingSpace;
}> {
  let count = 0;
  const sections = new Map(sectionsOf(reading.structure).map(({ row }) => [row.id, row.title]));
  for (const siteSpace of siteSpacesOf(reading.structure)) {
    const space = reading.spaceOf(siteSpace);
    const navigation = await reading.navigationOf(space);
    const section = sections.get(siteSpace.row.section ?? '') ?? space.title;
    for (const page of navigation.readable) {
      if (isExcluded(page.record)) {
        continue;
      }
      if (count === limit) {
        return;
      }
      count += 1;
      if (isYieldDue()) {
        await yieldToEventLoop();
      }
      const href = reading.pageHref(siteSpace, navigation, page);
      yield { section, href, markdownHref: reading.markdownHref(siteSpace, page), page, siteSpace, space };
    }
  }
}

/** Returns a page as Markdown, with its title. */
export async function pageMarkdown(services: ReadingServices, context: ContentContext): Promise<string> {
  const { record } = context.page;
  const description = record.description === undefined ? '' : `${record.description}\n\n`;
  return `# ${record.title}\n\n${description}${await printContent(services, context)}`;
}
