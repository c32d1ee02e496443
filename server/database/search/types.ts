import type { Expression } from 'kysely';
import type { SearchLanguage } from './stems.ts';

/** The part of a page under a heading. */
export interface Section {
  /** Unique in the page. */
  section: string;
  title: string;
  /** URL fragment of the section; empty for the start of the page. */
  anchor: string;
  /** Plain text. */
  body: string;
  /** Condition for visitors to see the section; none by default. */
  condition?: string | null;
}

/** A page with all its sections, in order. */
export interface SearchPage {
  page: string;
  title: string;
  path: string;
  sections: readonly Section[];
}

/** A matching section. `rank` is comparable within one result: higher is better; at least 0. */
export interface SearchHit extends Omit<Section, 'condition'> {
  space: string;
  page: string;
  pageTitle: string;
  pagePath: string;
  rank: number;
  /** Position of its page among the pages of all spaces in the result, from 1. */
  pagePosition: number;
}

/** The space of a match, in {@link SearchedContent.visibleSpace}. */
export const MATCHED_SPACE = 'searchSections.space';

/** A query and the sections of an organization that it searches. */
export interface SearchedContent {
  organization: string;
  /** IDs of the spaces to search, or a subquery that selects a few; all spaces of the organization by default. */
  spaces?: readonly string[] | Expression<unknown> | undefined;
  /**
   * Subquery that selects the {@link MATCHED_SPACE} if it is visible, as an alternative to `spaces`. Evaluated for each
   * match.
   */
  visibleSpace?: Expression<unknown> | undefined;
  /** Conditions of the sections to search, in addition to sections without one; all sections by default. */
  conditions?: readonly string[] | undefined;
  /**
   * Languages of the searched spaces; those of the spaces of the organization by default. Words of another language are
   * only found as written.
   */
  languages?: readonly SearchLanguage[] | undefined;
  /** The search text, see `readQuery`. Sections must match every word; the last one may be a prefix. */
  query: string;
}

/** Who searches. Visitors and members of an organization wait in separate queues. */
export type Searcher = 'member' | 'visitor';

/** A search in the sections of an organization. */
export interface SearchRequest extends SearchedContent {
  searcher: Searcher;
  /** Returns a condition of pages in the spaces of the matches. Pages that it excludes are neither found nor counted. */
  shownPages?: (spaces: ReadonlySet<string>) => Promise<(page: { space: string; page: string }) => boolean>;
  /** Whether an item is a page or a space. */
  groupBy: 'page' | 'space';
  /** Number of items to skip. */
  offset: number;
  limit: number;
}

/** A page of the items of a search, each with its best sections. Items, and the sections of each page, are ordered by rank. */
export interface SearchResult {
  /** Total number of items in the first `SEARCH_LIMIT` sections. */
  count: number;
  groups: SearchHit[][];
}
