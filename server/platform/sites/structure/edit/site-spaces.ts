import type { CreateId } from '../../../../database/seams.ts';
import { fieldInvalid, spaceAlreadyShown } from '../../../../errors/errors.ts';
import type { SiteSpaceRow, StructureRows } from '../../../spaces/publications/rows.ts';
import { addSectionRow, addSiteSpaceRow, type Edited, type ShownSpace } from './append.ts';
import { requireFreePath } from './names.ts';
import { settle } from './settle.ts';

/**
 * Adds a space to a site, at the end of a section: by default of the default section, or of the root of a site without
 * sections. If a site has only section groups, the space is added as a new section. Changes nothing if the level
 * already shows the space.
 *
 * @throws ContractError 400 if the section does not exist
 */
export function addSiteSpace(
  rows: StructureRows,
  { space, section }: { space: ShownSpace; section?: string | undefined },
  createId: CreateId,
): Edited<SiteSpaceRow> {
  if (section !== undefined && !rows.sections.some(({ id }) => id === section)) {
    throw fieldInvalid('sectionId', 'must be the ID of a section of the site');
  }
  if (rows.sections.length === 0 && rows.groups.length > 0) {
    const added = addSectionRow(rows, { title: space.title, icon: null }, createId);
    return addSiteSpaceRow(added.rows, space, added.row.id, createId);
  }
  const level = section ?? rows.site.defaultSection;
  const existing = rows.siteSpaces.find((row) => row.section === level && row.space === space.id);
  return existing ? { rows, row: existing } : addSiteSpaceRow(rows, space, level, createId);
}

/**
 * Changes a site space.
 *
 * @throws ContractError 409 if a sibling has the path or shows the space
 */
export function updateSiteSpace(
  rows: StructureRows,
  row: SiteSpaceRow,
  changes: Partial<Pick<SiteSpaceRow, 'path' | 'condition' | 'space'>>,
): Edited<SiteSpaceRow> {
  const siblings = rows.siteSpaces.filter(({ id, section }) => id !== row.id && section === row.section);
  if (changes.path !== undefined) {
    requireFreePath(changes.path, row.id, siblings);
  }
  if (changes.space !== undefined && siblings.some(({ space }) => space === changes.space)) {
    throw spaceAlreadyShown();
  }
  const updated = { ...row, ...changes };
  const siteSpaces = rows.siteSpaces.map((siteSpace) => (siteSpace.id === row.id ? updated : siteSpace));
  return { rows: { ...rows, siteSpaces }, row: updated };
}

/** Removes site spaces. Sections without remaining site spaces are removed, too. */
export const removeSiteSpaces = (
  rows: StructureRows,
  isRemoved: (row: SiteSpaceRow) => boolean,
): StructureRows => settle({ ...rows, siteSpaces: rows.siteSpaces.filter((row) => !isRemoved(row)) });
