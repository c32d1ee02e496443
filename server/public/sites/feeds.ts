/** What a site offers to search engines and agents: sitemap.xml, llms.txt, and pages as Markdown. */

import { variablesOf } from '../../content/threads/body.ts';
import { Documents } from '../../content/threads/documents.ts';
import { escapeHtml } from '../../contract/html.ts';
import type { ReadingSpace } from '../../models/sites/spaces.ts';
import { sectionsOf, siteSpacesOf } from '../../models/sites/structure.ts';
import type { ReadablePage } from './navigation.ts';
import { isExcluded, type PagePlace, updatedAtOf } from './page-view.ts';
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
  for await (const { href, page, space } of pagesOf(reading, MAX_SITEMAP_URLS)) {
    const updatedAt = updatedAtOf(page.record, space);
    const modified = updatedAt === undefined ? '' : `<lastmod>${updatedAt}</lastmod>`;
    urls.push(`<url><loc>${escapeHtml(reading.absolute(href))}</loc>${modified}</url>\n`);
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
}

/** Returns the index of a site for agents (llmstxt.org); undefined if the site excludes them. */
export async function agentIndex(reading: ReadingSite, title: string): Promise<string | undefined> {
  if (!reading.isForAgents) {
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
): AsyncGenerator<{
  section: string;
  href: string;
  markdownHref: string;
  page: ReadablePage;
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
      const href = reading.pageHref(siteSpace, navigation, page);
      yield { section, href, markdownHref: reading.markdownHref(siteSpace, page), page, space };
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
