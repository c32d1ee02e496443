/** What operations read of published pages. The pages themselves are served by a later layer, which implements it. */
import type { SearchHit } from '../../../database/search/types.ts';
import type { SiteRedirectRow } from '../site-redirects/queries.ts';
import type { SiteVisit } from './visit.ts';

/** Site spaces that are searched. */
export type SiteSearchScope =
  /** One variant of each section: that of the current site space, or in its language, or the default one. */
  | { mode: 'default'; current?: string | undefined; part?: 'current' | 'others' | undefined }
  | { mode: 'specific'; siteSpaces: readonly string[] }
  | { mode: 'all' };

/** A page of a site that a search found. */
export interface FoundPage {
  id: string;
  title: string;
  description: string;
  path: string;
  space: { id: string; title: string; revision: string };
  /** Titles of the pages and groups that contain it. */
  ancestors: readonly string[];
  /** URL on the site. */
  url: string;
  /** Its sections that were found, best match first; at least one. */
  hits: readonly SearchHit[];
}

/** Where a path of a site leads that no page has: by a redirect of the site, or to a page. */
export type FoundRedirect = { url: string } & (
  | { row: SiteRedirectRow }
  | { siteSpace: string; page: string }
);

/** The published pages, as their visitors see them. */
export interface PublishedPages {
  /** Searches the pages that a visitor sees. Returns the best ones, and the number of all. */
  search(
    visit: SiteVisit,
    query: string,
    scope: SiteSearchScope,
  ): Promise<{ count: number; pages: FoundPage[] }>;

  /**
   * Finds where a path redirects.
   *
   * @param path decoded segments below the URL of the site
   * @returns undefined if it is the path of a page, or leads nowhere
   */
  findRedirect(visit: SiteVisit, path: readonly string[]): Promise<FoundRedirect | undefined>;
}
