import type { CreateId } from '../../../../database/seams.ts';
import { sectionLimitExceeded, siteSpaceLimitExceeded } from '../../../../errors/errors.ts';
import type { SectionRow, SiteSpaceRow, StructureRows } from '../../../spaces/publications/rows.ts';
import { freePath, sectionTitle } from './names.ts';
import { lastPosition, rootEntries, siteSpacesIn } from './order.ts';
import { settle } from './settle.ts';

/** Maximum number of sections of a site. */
export const MAX_SITE_SECTIONS = 500;

/** Maximum number of spaces on a site. */
export const MAX_SITE_SPACES = 1000;

/** A space to show on a site. */
export interface ShownSpace {
  id: string;
  title: string;
}

/** The rows after a change, and the entry that was added or changed. */
export interface Edited<Row> {
  rows: StructureRows;
  row: Row;
}

/** Adds a section at the end of the root, before its first site space. */
export function addSectionRow(
  rows: StructureRows,
  { title, icon }: { title: string; icon: string | null },
  createId: CreateId,
): Edited<SectionRow> {
  if (rows.sections.length >= MAX_SITE_SECTIONS) {
    throw sectionLimitExceeded(MAX_SITE_SECTIONS);
  }
  const row: SectionRow = {
    id: createId('sec'),
    organization: rows.site.organization,
    site: rows.site.id,
    sectionGroup: null,
    title: sectionTitle(title),
    description: null,
    path: freePath(title, rows.sections),
    condition: null,
    icon,
    defaultSiteSpace: '',
    position: lastPosition(rootEntries(rows)),
  };
  return { rows: { ...rows, sections: [...rows.sections, row] }, row };
}

/** Adds a site space at the end of a section, or of the root (null). */
export function addSiteSpaceRow(
  rows: StructureRows,
  space: ShownSpace,
  section: string | null,
  createId: CreateId,
): Edited<SiteSpaceRow> {
  const siblings = rows.siteSpaces.filter((siteSpace) => siteSpace.section === section);
  if (rows.siteSpaces.length >= MAX_SITE_SPACES) {
    throw siteSpaceLimitExceeded(MAX_SITE_SPACES);
  }
  const row: SiteSpaceRow = {
    id: createId('ssp'),
    organization: rows.site.organization,
    site: rows.site.id,
    section,
    space: space.id,
    path: freePath(space.title, siblings),
    condition: null,
    position: lastPosition(siteSpacesIn(rows, section)),
  };
  return { rows: settle({ ...rows, siteSpaces: [...rows.siteSpaces, row] }), row };
}
