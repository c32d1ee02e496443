import type { components } from '../../../../../generated/schema.d.ts';
import { between } from '../../../../database/lists/positions.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import type { StructureRows } from '../../../spaces/publications/rows.ts';
import { compareRows } from '../../../spaces/publications/structure.ts';

/** Reference to a site space, section or section group. */
export type EntryPointer = components['schemas']['SiteEntryPointer'];

/** Position next to siblings. Without `before` and `after`, it is the last one. */
export interface EntryPosition {
  before?: EntryPointer | undefined;
  after?: EntryPointer | undefined;
}

/** An entry with its position among its siblings. */
interface Sibling extends EntryPointer {
  position: string;
}

/** Minimum length of a position to reposition all siblings: repeated moves between the same siblings add digits. */
const MAX_POSITION_CHARACTERS = 40;

/** Noun of each type of entry, for errors. */
export const ENTRY_NOUNS = {
  'site-space': 'site space',
  'site-section': 'site section',
  'site-section-group': 'site section group',
} as const satisfies Record<EntryPointer['type'], string>;

/** Returns the section groups and ungrouped sections at the root of a site, in order. */
export const rootEntries = ({ groups, sections }: StructureRows): Sibling[] =>
  [
    ...groups.map(({ id, position }) => ({ type: 'site-section-group' as const, id, position })),
    ...sectionsIn(sections, null),
  ].sort(compareRows);

/** Returns the sections of a group, in order. */
const sectionsIn = (sections: StructureRows['sections'], group: string | null): Sibling[] =>
  sections
    .filter(({ sectionGroup }) => sectionGroup === group)
    .map(({ id, position }) => ({ type: 'site-section', id, position }));

/** Returns the entries at the same level as an entry, in order, including the entry; none if it does not exist. */
export function siblingsOf(rows: StructureRows, { type, id }: EntryPointer): Sibling[] {
  switch (type) {
    case 'site-space': {
      const siteSpace = rows.siteSpaces.find((row) => row.id === id);
      return siteSpace ? siteSpacesIn(rows, siteSpace.section) : [];
    }
    case 'site-section': {
      const section = rows.sections.find((row) => row.id === id);
      return section ? sectionLevel(rows, section.sectionGroup) : [];
    }
    case 'site-section-group':
      return rows.groups.some((row) => row.id === id) ? rootEntries(rows) : [];
  }
}

/** Returns the site spaces of a section or of the root (null), in order. */
export const siteSpacesIn = ({ siteSpaces }: StructureRows, section: string | null): Sibling[] =>
  siteSpaces
    .filter((row) => row.section === section)
    .map(({ id, position }) => ({ type: 'site-space', id, position }));

/** Returns the ordered siblings of the sections of a group, or of the root (null). */
export const sectionLevel = (rows: StructureRows, group: string | null): Sibling[] =>
  group === null ? rootEntries(rows) : sectionsIn(rows.sections, group);

/** Returns the position after all siblings. */
export const lastPosition = (siblings: readonly Sibling[]): string =>
  between(siblings.at(-1)?.position ?? null, null);

/** Returns positions between two others, evenly distributed. */
export function positionsBetween(before: string | null, after: string | null, count: number): string[] {
  if (count === 0) {
    return [];
  }
  const middle = between(before, after);
  const left = Math.floor((count - 1) / 2);
  return [
    ...positionsBetween(before, middle, left),
    middle,
    ...positionsBetween(middle, after, count - 1 - left),
  ];
}

/**
 * Moves an entry to a position among its siblings. Changes nothing if the entry is already there.
 *
 * @throws ContractError 400 if the position does not name adjacent siblings
 */
export function moveEntry(
  rows: StructureRows,
  entry: EntryPointer,
  position: EntryPosition = {},
): StructureRows {
  const siblings = siblingsOf(rows, entry);
  const others = siblings.filter((sibling) => !isSame(sibling, entry));
  const index = requestedIndex(others, position);
  const moved = others.toSpliced(index, 0, { ...entry, position: '' });
  if (moved.every((sibling, at) => isSame(sibling, siblings[at] ?? entry))) {
    return rows;
  }
  const newPosition = between(others[index - 1]?.position ?? null, others[index]?.position ?? null);
  if (newPosition.length <= MAX_POSITION_CHARACTERS) {
    return withPositions(rows, [{ ...entry, position: newPosition }]);
  }
  const positions = positionsBetween(null, null, moved.length);
  return withPositions(
    rows,
    moved.map((sibling, at) => ({ ...sibling, position: positions[at] ?? newPosition })),
  );
}

/** Returns the index that a position requests among the siblings of the moved entry. */
function requestedIndex(siblings: readonly Sibling[], { before, after }: EntryPosition): number {
  const next = before && indexOf(siblings, before, 'position.before');
  const previous = after && indexOf(siblings, after, 'position.after');
  if (next !== undefined && previous !== undefined && next !== previous + 1) {
    throw fieldInvalid('position', 'is invalid: `before` and `after` must name adjacent siblings');
  }
  return next ?? (previous === undefined ? siblings.length : previous + 1);
}

function indexOf(siblings: readonly Sibling[], pointer: EntryPointer, field: string): number {
  const index = siblings.findIndex((sibling) => isSame(sibling, pointer));
  if (index < 0) {
    throw fieldInvalid(field, 'must name a sibling: another entry at the same level of the structure');
  }
  return index;
}

const isSame = (a: EntryPointer, b: EntryPointer) => a.type === b.type && a.id === b.id;

/** Sets the positions of some entries. */
function withPositions(rows: StructureRows, entries: readonly Sibling[]): StructureRows {
  const positions = new Map(entries.map(({ id, position }) => [id, position]));
  const reorder = <Row extends { id: string; position: string }>(all: readonly Row[]): Row[] =>
    all.map((row) => ({ ...row, position: positions.get(row.id) ?? row.position })).sort(compareRows);
  return {
    site: rows.site,
    groups: reorder(rows.groups),
    sections: reorder(rows.sections),
    siteSpaces: reorder(rows.siteSpaces),
  };
}
