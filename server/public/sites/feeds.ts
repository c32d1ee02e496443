/** What a site offers to search engines and agents: sitemap.xml, robots.txt, llms.txt, and pages as Markdown. */

import { variablesOf } from '../../content/threads/body.ts';
import { Documents } from '../../content/threads/documents.ts';
import { escapeHtml } from '../../contract/html.ts';
import { sectionsOf, siteSpacesOf } from '../../models/sites/structure.ts';
import type { ReadablePage } from './navigation.ts';
import { isExcluded, type PagePlace } from './page-view.ts';
import type { ReadingServices, ReadingSite } from './reading-site.ts';

/** Maximum number of URLs in a sitemap (sitemaps.org). */
export const MAX_SITEMAP_URLS = 50_000;
/** Maximum number of pages in llms.txt. */
export const MAX_LISTED_PAGES = 5000;

/** Returns the sitemap of a public site; undefined for others, which search engines must not index. */
export async function sitemap(reading: ReadingSite): Promise<string | undefined> {
  if (reading.site.visibility !== 'public') {
    return undefined;
  }
  const urls: string[] = [];
  for await (const { href, page } of pagesOf(reading, MAX_SITEMAP_URLS)) {
    const { updatedAt } = page.record;
    const modified = updatedAt === undefined ? '' : `<lastmod>${updatedAt}</lastmod>`;
    urls.push(`<url><loc>${escapeHtml(reading.absolute(href))}</loc>${modified}</url>\n`);
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
}

/** Returns the rules for crawlers. They apply if the site is at the root of its origin. */
export function robots(reading: ReadingSite): string {
  return reading.site.visibility === 'public'
    ? `User-agent: *\nDisallow: ${reading.href('/~search')}\nDisallow: ${reading.href('/~pdf/')}\n\nSitemap: ${reading.absolute(reading.href('/sitemap.xml'))}\n`
    : 'User-agent: *\nDisallow: /\n';
}

/** Returns the index of a site for agents (llmstxt.org); undefined if the site excludes them. */
export async function agentIndex(reading: ReadingSite, title: string): Promise<string | undefined> {
  if (reading.site.agentsContext !== 'included') {
    return undefined;
  }
  const lines: string[] = [`# ${title}`, ''];
  let heading: string | undefined;
  for await (const { section, markdownHref, page } of pagesOf(reading, MAX_LISTED_PAGES)) {
    if (section !== heading) {
      lines.push(...(heading === undefined ? [] : ['']), `## ${section}`, '');
      heading = section;
    }
    const { title: pageTitle, description } = page.record;
    const link = `- [${pageTitle.replace(/[[\]\\]/g, '\\$&')}](${reading.absolute(markdownHref)})`;
    lines.push(description === undefined ? link : `${link}: ${description.replace(/\s+/g, ' ')}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Lists the pages that are shown and not excluded from indexes, in order. */
async function* pagesOf(
  reading: ReadingSite,
  limit: number,
): AsyncGenerator<{ section: string; href: string; markdownHref: string; page: ReadablePage }> {
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
      const href = reading.pageHref(siteSpace, navigation, page);
      yield { section, href, markdownHref: reading.markdownHref(siteSpace, page), page };
    }
  }
}

/** Returns a page as Markdown, with its title. */
export async function pageMarkdown(
  services: ReadingServices,
  { page, content, space, reading }: PagePlace,
): Promise<string> {
  const { record } = page;
  const body = await content.readBody(record);
  const variables = variablesOf(record, await content.readVariables());
  const text = await new Documents(services.threads, space.organization).evaluate(
    body,
    variables,
    reading.claims,
  );
  const description = record.description === undefined ? '' : `${record.description}\n\n`;
  return `# ${record.title}\n\n${description}${text}`;
}
