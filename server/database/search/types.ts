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
  /** Condition under which visitors see the section; none by default. */
  condition?: string | null;
}

/** A page with all its sections, in order. */
export interface SearchPage {
  page: string;
  title: string;
  path: string;
  sections: readonly Section[];
}

/** A matching section. `rank` is comparable within one result: higher is better. */
export interface SearchHit extends Omit<Section, 'condition'> {
  space: string;
  page: string;
  pageTitle: string;
  pagePath: string;
  rank: number;
}

/** A search in the sections of an organization. */
export interface SearchRequest {
  organization: string;
  /** IDs of the spaces to search, or a subquery that selects a few; all spaces of the organization by default. */
  spaces?: readonly string[] | Expression<unknown> | undefined;
  /** Selects the space of a match if it is visible, as an alternative to `spaces`. Evaluated for each match. */
  visibleSpace?: ((space: string) => Expression<unknown>) | undefined;
  /** Conditions of the sections to search, in addition to sections without one; all sections by default. */
  conditions?: readonly string[] | undefined;
  /**
   * Languages of the searched spaces; those of the spaces of the organization by default. Words of another language are
   * only found as written.
   */
  languages?: readonly SearchLanguage[];
  /** The search text, see `readQuery`. Sections must match every word; the last one may be a prefix. */
  query: string;
  /** Returns a condition of pages in the spaces of the matches. Pages that it excludes are neither found nor counted. */
  shownPages?: (spaces: ReadonlySet<string>) => Promise<(page: { space: string; page: string }) => boolean>;
  /** Whether an item is a page or a space. */
  groupBy: 'page' | 'space';
  /** Number of items to skip. */
  offset: number;
  limit: number;
}
