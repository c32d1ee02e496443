/** Where a path of a site leads: for pages, and for the operation that finds redirects. */
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { StoredRedirectDestination } from '../../../database/schema/sites/site-redirects.ts';
import { sectionsOf, siteSpacesOf } from '../../spaces/publications/structure.ts';
import { encodeSegments } from '../../spaces/publications/urls.ts';
import { findSiteRedirect, type SiteRedirectRow } from '../site-redirects/queries.ts';
import { findMovedPage } from './moved-pages.ts';
import type { ReadingServices, ReadingSite } from './reading-site.ts';
import { isReadable, type NavigationPage, type ReadablePage } from './views/navigation.ts';
import { type ViewContext, viewContext } from './views/view-context.ts';

/** The page that a path leads to. */
export interface PageDestination {
  page: NavigationPage;
  /** Address of the page on the origin of the site. */
  href: string;
  /** Anchor in the page that a redirect of a repository names. */
  anchor?: string | undefined;
  /** Whether a redirect of a repository leads to it. */
  isRedirected: boolean;
}

/** The site space that a path leads to, with the rest of the path. */
export interface SpaceDestination {
  context: ViewContext;
  path: readonly string[];
}

/**
 * Returns the site space that a path leads to.
 *
 * @param segments decoded segments below the address of the site
 */
export async function spaceDestination(
  reading: ReadingSite,
  segments: readonly string[],
): Promise<SpaceDestination> {
  const destination = reading.paths.resolve(segments);
  return {
    context: await viewContext(reading, destination?.siteSpace),
    path: destination?.page ?? [],
  };
}

/** Where a redirect of the site leads. */
export interface RedirectDestination {
  row: SiteRedirectRow;
  /** Address on the origin of the site, or the URL of another one. */
  href: string;
}

/**
 * Returns where a path of a space leads: to the page at this path, by a redirect of the site or of a repository, or to
 * the page that had this path earlier.
 *
 * @param segments decoded segments below the address of the site
 */
export async function findDestination(
  { database }: Pick<ReadingServices, 'database'>,
  { context: { reading, navigation, siteSpace, space }, path }: SpaceDestination,
  segments: readonly string[],
): Promise<PageDestination | RedirectDestination | undefined> {
  const current = navigation.resolve(path);
  const ofSite = current ? undefined : await redirectDestination(database.query, reading, segments);
  if (ofSite) {
    return ofSite;
  }
  const redirected = current ? undefined : navigation.redirectFrom(path);
  const page = current ?? redirected?.page ?? (await findMovedPage(database.query, space, navigation, path));
  return (
    page && {
      page,
      href: reading.pageHref(siteSpace, navigation, page),
      anchor: redirected?.anchor,
      isRedirected: redirected !== undefined,
    }
  );
}

/** Returns where a redirect of the site leads, unless that is the path itself, or the visitor does not see it. */
async function redirectDestination(
  queries: Queries,
  reading: ReadingSite,
  segments: readonly string[],
): Promise<RedirectDestination | undefined> {
  const found = await findSiteRedirect(queries, reading.site.id, segments);
  const address = found && (await addressOf(reading, readJson(found.row.destination)));
  if (address === undefined) {
    return undefined;
  }
  const url = new URL(address, reading.url);
  if (found && found.rest.length > 0) {
    url.pathname = `${url.pathname.replace(/\/$/, '')}${encodeSegments(found.rest)}`;
  }
  const isOnSite = address.startsWith('/');
  const href = isOnSite ? url.pathname : url.href;
  const isSame = isOnSite && href === reading.href(encodeSegments(segments));
  return found && !isSame ? { row: found.row, href } : undefined;
}

/** Returns the address of the destination of a redirect; undefined if the visitor does not see it. */
async function addressOf(
  reading: ReadingSite,
  destination: StoredRedirectDestination,
): Promise<string | undefined> {
  if (destination.kind === 'external') {
    return destination.url;
  }
  if (destination.kind === 'site-section') {
    const section = sectionsOf(reading.structure).find(({ row }) => row.id === destination.siteSectionId);
    return section && reading.href(reading.paths.pathOfSection(section));
  }
  const siteSpace = siteSpacesOf(reading.structure).find(({ row }) => row.id === destination.siteSpaceId);
  if (!siteSpace || destination.kind === 'site-space') {
    return siteSpace && reading.href(reading.paths.pathOf(siteSpace.row.id));
  }
  const navigation = await reading.navigationOf(reading.spaceOf(siteSpace));
  const page = navigation.find(destination.pageId);
  return page && reading.pageHref(siteSpace, navigation, page);
}

/** Returns the address of the page with the anchor that a redirect names. */
export const hrefWithAnchor = (href: string, { anchor }: PageDestination): string =>
  anchor === undefined ? href : `${href}#${encodeURIComponent(anchor)}`;

/** Returns whether a page is at its current address. */
export function isCurrentAddress(
  reading: ReadingSite,
  segments: readonly string[],
  destination: PageDestination | RedirectDestination,
): destination is PageDestination & { page: ReadablePage } {
  if ('row' in destination) {
    return false;
  }
  const { page, href, isRedirected } = destination;
  const below = segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
  return !isRedirected && isReadable(page) && reading.href(below) === href;
}
