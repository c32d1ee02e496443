import type { Selectable } from 'kysely';
import type {
  SiteSectionGroupsTable,
  SiteSectionsTable,
  SiteSpacesTable,
  SitesTable,
} from '../../database/schema/sites.ts';

/** A row of the table of sites. */
export type SiteRow = Selectable<SitesTable>;

/**
 * The structure of a site, in order: sections and section groups, or site spaces if the site has no sections. A site
 * with entries has exactly one default at the root, and each section has one.
 */
export interface SiteStructure {
  site: SiteRow;
  entries: readonly SectionEntry[] | readonly SiteSpaceEntry[];
}

/** A section group, or a section outside of groups. */
export type SectionEntry = SectionGroupNode | SectionNode;

export interface SectionGroupNode {
  type: 'site-section-group';
  row: Selectable<SiteSectionGroupsTable>;
  sections: readonly SectionNode[];
}

export interface SectionNode {
  type: 'site-section';
  row: Selectable<SiteSectionsTable>;
  isDefault: boolean;
  /** Variants. */
  siteSpaces: readonly SiteSpaceEntry[];
}

export interface SiteSpaceEntry {
  type: 'site-space';
  row: Selectable<SiteSpacesTable>;
  isDefault: boolean;
}
