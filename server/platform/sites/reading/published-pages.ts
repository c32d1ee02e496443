/** What operations of the API read of published pages. */
import type { FoundPage, PublishedPages, SiteSearchScope } from '../visitors/published-pages.ts';
import type { SiteVisit } from '../visitors/visit.ts';
import { findDestination, hrefWithAnchor, isCurrentAddress, spaceDestination } from './destination.ts';
import { type ReadingServices, readSite } from './reading-site.ts';
import { isReadable } from './views/navigation.ts';
import {
  ancestorsOf,
  findPages,
  MAX_QUERY_CHARACTERS,
  MAX_RESULTS,
  searchedIn,
} from './views/search-view.ts';

/** Creates the reads of published pages for operations. */
export const createPublishedPages = (services: ReadingServices): PublishedPages => ({
  search: (visit, query, scope) => search(services, visit, query, scope),

  async findRedirect({ site, visitor }, path) {
    const reading = await readSite(services, site, visitor);
    if (!reading) {
      return undefined;
    }
    const space = await spaceDestination(reading, path);
    const destination = await findDestination(services, space, path);
    if (!destination || isCurrentAddress(reading, path, destination)) {
      return undefined;
    }
    if ('row' in destination) {
      return { row: destination.row, url: reading.absolute(destination.href) };
    }
    return {
      siteSpace: space.context.siteSpace.row.id,
      page: destination.page.record.id,
      url: hrefWithAnchor(reading.absolute(destination.href), destination),
    };
  },
});

async function search(
  services: ReadingServices,
  { site, visitor }: SiteVisit,
  text: string,
  scope: SiteSearchScope,
): Promise<{ count: number; pages: FoundPage[] }> {
  const reading = await readSite(services, site, visitor);
  if (!reading) {
    return { count: 0, pages: [] };
  }
  const query = text.slice(0, MAX_QUERY_CHARACTERS).trim();
  const siteSpaces = searchedIn(reading, scope);
  const { count, groups, siteSpaceOf } = await findPages(services, reading, {
    query,
    siteSpaces,
    limit: MAX_RESULTS,
  });
  const pages: FoundPage[] = [];
  for (const hits of groups) {
    const [best] = hits;
    const siteSpace = best && siteSpaceOf(best.space);
    const space = siteSpace && reading.spaceOf(siteSpace);
    const navigation = space && (await reading.navigationOf(space));
    const page = best && navigation?.find(best.page);
    if (siteSpace && space && navigation && isReadable(page)) {
      pages.push({
        id: page.record.id,
        title: page.record.title,
        description: page.record.description ?? '',
        path: page.path.join('/'),
        space: { id: space.id, title: space.title, revision: space.revision },
        ancestors: ancestorsOf(page),
        url: reading.absolute(reading.pageHref(siteSpace, navigation, page)),
        hits,
      });
    }
  }
  return { count, pages };
}
