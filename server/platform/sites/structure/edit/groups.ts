import type { CreateId } from '../../../../database/seams.ts';
import { fieldInvalid, sectionGroupLimitExceeded } from '../../../../errors/errors.ts';
import type { GroupRow, SectionRow, StructureRows } from '../../../spaces/publications/rows.ts';
import type { Edited } from './append.ts';
import { lastPosition, positionsBetween, rootEntries, sectionLevel } from './order.ts';
import { type TitleOf, withSections } from './sections.ts';
import { settle } from './settle.ts';

/** Maximum number of section groups of a site. */
export const MAX_SITE_SECTION_GROUPS = 100;

/**
 * Adds a section group at the end of a site, and moves sections into it. Spaces at the root first become the variants
 * of a section.
 *
 * @throws ContractError 400 if one of the sections does not exist, 409 if the site has too many groups
 */
export function addGroup(
  before: StructureRows,
  { title, icon, sections }: { title: string; icon: string | null; sections: readonly string[] },
  createId: CreateId,
  titleOf: TitleOf,
): Edited<GroupRow> {
  const rows = withSections(before, createId, titleOf);
  if (rows.groups.length >= MAX_SITE_SECTION_GROUPS) {
    throw sectionGroupLimitExceeded(MAX_SITE_SECTION_GROUPS);
  }
  for (const [index, id] of sections.entries()) {
    requireSection(before, id, `sections.${index}`);
  }
  const { id: site, organization } = rows.site;
  const row: GroupRow = {
    id: createId('grp'),
    organization,
    site,
    title,
    icon,
    position: lastPosition(rootEntries(rows)),
  };
  const positions = positionsBetween(null, null, sections.length);
  const moveInto = (section: SectionRow): SectionRow => {
    const index = sections.indexOf(section.id);
    return index < 0
      ? section
      : { ...section, sectionGroup: row.id, position: positions[index] ?? section.position };
  };
  return {
    rows: settle({ ...rows, groups: [...rows.groups, row], sections: rows.sections.map(moveInto) }),
    row,
  };
}

/** Changes a section group. */
export function updateGroup(
  rows: StructureRows,
  row: GroupRow,
  changes: Partial<Pick<GroupRow, 'title' | 'icon'>>,
): Edited<GroupRow> {
  const updated = { ...row, ...changes };
  const groups = rows.groups.map((group) => (group.id === row.id ? updated : group));
  return { rows: { ...rows, groups }, row: updated };
}

/** Removes a section group. Its sections take its place at the root. */
export function removeGroup(rows: StructureRows, group: string): StructureRows {
  const level = rootEntries(rows);
  const index = level.findIndex(({ id }) => id === group);
  const members = rows.sections.filter(({ sectionGroup }) => sectionGroup === group);
  const positions = positionsBetween(
    level[index - 1]?.position ?? null,
    level[index + 1]?.position ?? null,
    members.length,
  );
  const newPositions = new Map(members.map(({ id }, at) => [id, positions[at]]));
  return settle({
    ...rows,
    groups: rows.groups.filter(({ id }) => id !== group),
    sections: rows.sections.map((section) => {
      const position = newPositions.get(section.id);
      return position === undefined ? section : { ...section, sectionGroup: null, position };
    }),
  });
}

/**
 * Moves a section to the end of a section group. Changes nothing if it is already there.
 *
 * @throws ContractError 400 if the section does not exist
 */
export function addToGroup(rows: StructureRows, group: string, section: string): StructureRows {
  requireSection(rows, section, 'sectionId');
  const level = sectionLevel(rows, group);
  if (level.at(-1)?.id === section) {
    return rows;
  }
  return moveSection(rows, section, group, lastPosition(level));
}

/** Moves a section out of its group, to the position after it. Changes nothing if the group does not contain it. */
export function removeFromGroup(rows: StructureRows, group: string, section: string): StructureRows {
  if (!rows.sections.some(({ id, sectionGroup }) => id === section && sectionGroup === group)) {
    return rows;
  }
  const level = rootEntries(rows);
  const index = level.findIndex(({ id }) => id === group);
  const [position = lastPosition(level)] = positionsBetween(
    level[index]?.position ?? null,
    level[index + 1]?.position ?? null,
    1,
  );
  return moveSection(rows, section, null, position);
}

const moveSection = (
  rows: StructureRows,
  section: string,
  sectionGroup: string | null,
  position: string,
): StructureRows =>
  settle({
    ...rows,
    sections: rows.sections.map((row) => (row.id === section ? { ...row, sectionGroup, position } : row)),
  });

function requireSection({ sections }: StructureRows, id: string, field: string): void {
  if (!sections.some((section) => section.id === id)) {
    throw fieldInvalid(field, 'must be the ID of a section of the site');
  }
}
