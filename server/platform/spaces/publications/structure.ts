import type { Queries } from '../../../database/database.ts';
import {
  type GroupRow,
  readRows,
  type SectionRow,
  type SiteRow,
  type SiteSpaceRow,
  type StructureRows,
} from './rows.ts';

export type { SiteRow } from './rows.ts';

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
  row: GroupRow;
  sections: readonly SectionNode[];
}

export interface SectionNode {
  type: 'site-section';
  row: SectionRow;
  isDefault: boolean;
  /** Variants. */
  siteSpaces: readonly SiteSpaceEntry[];
}

export interface SiteSpaceEntry {
  type: 'site-space';
  row: SiteSpaceRow;
  isDefault: boolean;
}

/** Reads the structure of a site. */
export async function readStructure(queries: Queries, site: SiteRow): Promise<SiteStructure> {
  return structureOf(await readRows(queries, site));
}

/** Creates the structure of a site from its rows, which are in order. */
export function structureOf({ site, groups, sections, siteSpaces }: StructureRows): SiteStructure {
  const spacesBySection = Map.groupBy(siteSpaces, ({ section }) => section);
  const entriesOf = (section: string | null, defaultSiteSpace: string | null): SiteSpaceEntry[] =>
    (spacesBySection.get(section) ?? []).map((row) => ({
      type: 'site-space',
      row,
      isDefault: row.id === defaultSiteSpace,
    }));
  if (sections.length === 0 && groups.length === 0) {
    return { site, entries: entriesOf(null, site.defaultSiteSpace) };
  }
  const sectionsByGroup = Map.groupBy(sections, ({ sectionGroup }) => sectionGroup);
  const nodesOf = (group: string | null): SectionNode[] =>
    (sectionsByGroup.get(group) ?? []).map((row) => ({
      type: 'site-section',
      row,
      isDefault: row.id === site.defaultSection,
      siteSpaces: entriesOf(row.id, row.defaultSiteSpace),
    }));
  const nodes = groups.map(
    (row): SectionEntry => ({
      type: 'site-section-group',
      row,
      sections: nodesOf(row.id),
    }),
  );
  return { site, entries: [...nodes, ...nodesOf(null)].sort((a, b) => compareRows(a.row, b.row)) };
}

/** Orders siblings by position; the ID breaks ties. */
export const compareRows = (
  a: { position: string; id: string },
  b: { position: string; id: string },
): number => (a.position === b.position ? (a.id < b.id ? -1 : 1) : a.position < b.position ? -1 : 1);

/** Returns the sections of a site, in order. */
export function sectionsOf({ entries }: SiteStructure): SectionNode[] {
  return entries.flatMap((entry) =>
    entry.type === 'site-section' ? [entry] : entry.type === 'site-section-group' ? entry.sections : [],
  );
}

/** Returns the site spaces at the root of a site, in order: none if the site has sections. */
export function rootSiteSpacesOf({ entries }: SiteStructure): SiteSpaceEntry[] {
  return entries.flatMap((entry) => (entry.type === 'site-space' ? [entry] : []));
}

/** Returns the site spaces of a site, in order, at the root or in sections. */
export function siteSpacesOf(structure: SiteStructure): SiteSpaceEntry[] {
  return [...rootSiteSpacesOf(structure), ...sectionsOf(structure).flatMap(({ siteSpaces }) => siteSpaces)];
}

/** Returns the site space that is shown first: the default one of the root or of the default section. */
export function firstSiteSpaceOf(structure: SiteStructure): SiteSpaceEntry | undefined {
  const section = sectionsOf(structure).find(({ isDefault }) => isDefault);
  return (section?.siteSpaces ?? rootSiteSpacesOf(structure)).find(({ isDefault }) => isDefault);
}

/** Returns a sort key for siblings. */
export const orderKey = ({ position, id }: { position: string; id: string }): string => `${position} ${id}`;

/** Returns the sections of a site with their sort keys. */
export function orderedSections({ entries }: SiteStructure): { key: string; entry: SectionNode }[] {
  return entries.flatMap((entry) => {
    const key = orderKey(entry.row);
    switch (entry.type) {
      case 'site-section':
        return [{ key, entry }];
      case 'site-section-group':
        return entry.sections.map((section) => ({
          key: `${key} ${orderKey(section.row)}`,
          entry: section,
        }));
      default:
        return [];
    }
  });
}

/** Returns the site spaces of a site with their sort keys. */
export function orderedSiteSpaces(structure: SiteStructure): { key: string; entry: SiteSpaceEntry }[] {
  return [
    ...rootSiteSpacesOf(structure).map((entry) => ({ key: orderKey(entry.row), entry })),
    ...orderedSections(structure).flatMap(({ key, entry: { siteSpaces } }) =>
      siteSpaces.map((entry) => ({ key: `${key} ${orderKey(entry.row)}`, entry })),
    ),
  ];
}

/** Returns the section groups of a site, in order. */
export function groupsOf({ entries }: SiteStructure): SectionGroupNode[] {
  return entries.flatMap((entry) => (entry.type === 'site-section-group' ? [entry] : []));
}

/** Conditions of the rows that {@link filterStructure} retains. */
export interface StructureFilter {
  siteSpace(row: SiteSpaceRow): boolean;
  section(row: SectionRow): boolean;
}

/**
 * Returns the part of a structure that a reader sees: without the sections and site spaces that are not visible, and
 * without the sections and section groups that are empty as a result. If a default is removed, the first entry that
 * remains is the default.
 */
export function filterStructure({ site, entries }: SiteStructure, filter: StructureFilter): SiteStructure {
  if (rootSiteSpacesOf({ site, entries }).length > 0) {
    const siteSpaces = filterSiteSpaces(rootSiteSpacesOf({ site, entries }), filter);
    return { site: { ...site, defaultSiteSpace: defaultOf(siteSpaces) }, entries: siteSpaces };
  }
  const remaining = entries.flatMap((entry): SectionEntry[] => {
    if (entry.type !== 'site-section-group') {
      return entry.type === 'site-section' ? filterSection(entry, filter) : [];
    }
    const sections = entry.sections.flatMap((section) => filterSection(section, filter));
    return sections.length === 0 ? [] : [{ ...entry, sections }];
  });
  const sections = withDefault(sectionsOf({ site, entries: remaining }));
  const byId = new Map(sections.map((section) => [section.row.id, section]));
  const elected = (section: SectionNode) => byId.get(section.row.id) ?? section;
  return {
    site: { ...site, defaultSection: defaultOf(sections) },
    entries: remaining.map((entry) =>
      entry.type === 'site-section' ? elected(entry) : { ...entry, sections: entry.sections.map(elected) },
    ),
  };
}

function filterSection(section: SectionNode, filter: StructureFilter): SectionNode[] {
  const siteSpaces = filter.section(section.row) ? filterSiteSpaces(section.siteSpaces, filter) : [];
  const defaultSiteSpace = defaultOf(siteSpaces);
  return defaultSiteSpace === null
    ? []
    : [{ ...section, row: { ...section.row, defaultSiteSpace }, siteSpaces }];
}

const filterSiteSpaces = (siteSpaces: readonly SiteSpaceEntry[], filter: StructureFilter): SiteSpaceEntry[] =>
  withDefault(siteSpaces.filter(({ row }) => filter.siteSpace(row)));

/** Makes the first entry the default if none is. */
const withDefault = <Entry extends { isDefault: boolean }>(entries: readonly Entry[]): Entry[] =>
  entries.some(({ isDefault }) => isDefault)
    ? [...entries]
    : entries.map((entry, index) => ({ ...entry, isDefault: index === 0 }));

const defaultOf = (entries: readonly { row: { id: string }; isDefault: boolean }[]): string | null =>
  entries.find(({ isDefault }) => isDefault)?.row.id ?? null;
