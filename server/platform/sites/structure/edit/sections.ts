import type { CreateId } from '../../../../database/seams.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import type { SectionRow, StructureRows } from '../../../spaces/publications/rows.ts';
import { addSectionRow, addSiteSpaceRow, type Edited, type ShownSpace } from './append.ts';
import { requireFreePath } from './names.ts';
import { settle } from './settle.ts';
import { removeSiteSpaces } from './site-spaces.ts';

/** Returns the title of a space that a site shows. */
export type TitleOf = (space: string) => string;

/**
 * Adds a section with a space at the end of a site. Spaces at the root first become the variants of a section.
 *
 * @throws ContractError 409 if the site has too many sections
 */
export function addSection(
  rows: StructureRows,
  { space, title, icon }: { space: ShownSpace; title: string | null; icon: string | null },
  createId: CreateId,
  titleOf: TitleOf,
): Edited<SectionRow> {
  const prepared = withSections(rows, createId, titleOf);
  const added = addSectionRow(prepared, { title: title ?? space.title, icon }, createId);
  const filled = addSiteSpaceRow(added.rows, space, added.row.id, createId).rows;
  return { rows: filled, row: sectionIn(filled, added.row.id) };
}

/** Turns the spaces at the root of a site into the variants of a section that is named after the default one. */
export function withSections(rows: StructureRows, createId: CreateId, titleOf: TitleOf): StructureRows {
  const { defaultSiteSpace } = rows.site;
  const first = rows.siteSpaces.find(({ id }) => id === defaultSiteSpace);
  if (!first) {
    return rows;
  }
  const added = addSectionRow(rows, { title: titleOf(first.space), icon: null }, createId);
  const siteSpaces = added.rows.siteSpaces.map((row) => ({ ...row, section: added.row.id }));
  const sections = added.rows.sections.map((row) => ({ ...row, defaultSiteSpace: first.id }));
  return settle({ ...added.rows, sections, siteSpaces });
}

function sectionIn({ sections }: StructureRows, id: string): SectionRow {
  const row = sections.find((section) => section.id === id);
  if (!row) {
    throw new Error(`The structure does not contain the section ${id}.`);
  }
  return row;
}

/**
 * Changes a section.
 *
 * @throws ContractError 400 if the default is no variant of the section, 409 if another section has the path
 */
export function updateSection(
  rows: StructureRows,
  row: SectionRow,
  changes: Partial<
    Pick<SectionRow, 'title' | 'path' | 'defaultSiteSpace' | 'condition' | 'icon' | 'description'>
  >,
): Edited<SectionRow> {
  const { path, defaultSiteSpace } = changes;
  if (path !== undefined) {
    requireFreePath(path, row.id, rows.sections);
  }
  if (defaultSiteSpace !== undefined) {
    requireVariant(rows, row.id, defaultSiteSpace);
  }
  const updated = { ...row, ...changes };
  const sections = rows.sections.map((section) => (section.id === row.id ? updated : section));
  return { rows: { ...rows, sections }, row: updated };
}

function requireVariant({ siteSpaces }: StructureRows, section: string | null, id: string): void {
  if (!siteSpaces.some((row) => row.id === id && row.section === section)) {
    const level = section === null ? 'at the root of the site' : 'in the section';
    throw fieldInvalid('defaultSiteSpace', `must be the ID of a site space ${level}`);
  }
}

/**
 * Changes what a site shows first: its default section, and the default site space of that section or of the root.
 *
 * @throws ContractError 400 if one of them does not exist there
 */
export function setDefaults(
  rows: StructureRows,
  { section, siteSpace }: { section: string | undefined; siteSpace: string | undefined },
): StructureRows {
  if (section !== undefined && !rows.sections.some(({ id }) => id === section)) {
    throw fieldInvalid('defaultSiteSection', 'must be the ID of a section of the site');
  }
  const defaultSection = section ?? rows.site.defaultSection;
  const site = { ...rows.site, defaultSection };
  if (siteSpace === undefined) {
    return { ...rows, site };
  }
  requireVariant(rows, defaultSection, siteSpace);
  return defaultSection === null
    ? { ...rows, site: { ...site, defaultSiteSpace: siteSpace } }
    : {
        ...rows,
        site,
        sections: rows.sections.map((row) =>
          row.id === defaultSection ? { ...row, defaultSiteSpace: siteSpace } : row,
        ),
      };
}

/** Removes a section with its variants. */
export const removeSection = (rows: StructureRows, section: string): StructureRows =>
  removeSiteSpaces(rows, (row) => row.section === section);
