import type { Flag, JsonText } from '../../json.ts';

/** Where a redirect of a site leads. */
export type StoredRedirectDestination =
  | { kind: 'site-section'; siteSectionId: string }
  | { kind: 'site-space'; siteSpaceId: string }
  | { kind: 'site-page'; siteSpaceId: string; pageId: string }
  | { kind: 'external'; url: string };

/** A redirect from a path of a site that no page has. */
export interface SiteRedirectsTable {
  id: string;
  organization: string;
  site: string;
  /** As it was written. */
  source: string;
  /** Decoded segments of the source, joined by slashes, without a wildcard. */
  path: string;
  /** `segments`: also the paths below it; `text`: all paths that start with it. Empty for this path only. */
  wildcard: '' | 'segments' | 'text';
  draft: Flag;
  /** Whether the rest of the path is appended to the destination. */
  captureWildcard: Flag;
  permanent: Flag;
  destination: JsonText<StoredRedirectDestination>;
  createdAt: string;
  updatedAt: string | null;
}
