/** Where a path of a site leads: for pages, and for the operation that finds redirects. */
import { findMovedPage } from './moved-pages.ts';
import { isReadable, type NavigationPage } from './navigation.ts';
import type { ReadingServices, ReadingSite } from './reading-site.ts';
import { type ViewContext, viewContext } from './view-context.ts';

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

/** Returns the page that a path of a space leads to: a current or an earlier path, or one that a repository redirects. */
export async function pageDestination(
  { database }: Pick<ReadingServices, 'database'>,
  { context: { reading, navigation, siteSpace, space }, path }: SpaceDestination,
): Promise<PageDestination | undefined> {
  const current = navigation.resolve(path);
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

/** Returns the address of the page with the anchor that a redirect names. */
export const hrefWithAnchor = (href: string, { anchor }: PageDestination): string =>
  anchor === undefined ? href : `${href}#${encodeURIComponent(anchor)}`;

/** Returns whether a page is at its current address. */
export function isCurrentAddress(
  reading: ReadingSite,
  segments: readonly string[],
  { page, href, isRedirected }: PageDestination,
): boolean {
  const below = segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
  return !isRedirected && isReadable(page) && reading.href(below) === href;
}
