import { conditionsOf } from '../conditions.ts';
import type {
  SectionEntry,
  SectionGroupNode,
  SectionNode,
  SiteSpaceEntry,
  SiteStructure,
} from '../structure.ts';
import type { SiteVisitor } from './visitor.ts';

/**
 * Returns the part of a structure that a visitor sees: without the sections and site spaces whose conditions exclude
 * the visitor, and without the sections and section groups that are empty as a result. If a default is excluded, the
 * first entry that remains is the default. A site without remaining entries does not exist for the visitor.
 */
export function visibleStructure({ site, entries }: SiteStructure, visitor: SiteVisitor): SiteStructure {
  const holds = conditionsOf(site, visitor.claims);
  if (areSiteSpaces(entries)) {
    const siteSpaces = withDefault(visibleSiteSpaces(entries, holds));
    return { site: { ...site, defaultSiteSpace: defaultOf(siteSpaces) }, entries: siteSpaces };
  }
  const visible = entries.flatMap((entry) => visibleEntry(entry, holds));
  const sections = withDefault(visible.flatMap((entry) => sectionsOf(entry)));
  const byId = new Map(sections.map((section) => [section.row.id, section]));
  const elected = (section: SectionNode) => byId.get(section.row.id) ?? section;
  return {
    site: { ...site, defaultSection: defaultOf(sections) },
    entries: visible.map((entry) =>
      entry.type === 'site-section'
        ? elected(entry)
        : { ...entry, sections: entry.sections.map((section) => elected(section)) },
    ),
  };
}

const areSiteSpaces = (entries: SiteStructure['entries']): entries is readonly SiteSpaceEntry[] =>
  entries.some(({ type }) => type === 'site-space');

const sectionsOf = (entry: SectionEntry): readonly SectionNode[] =>
  entry.type === 'site-section' ? [entry] : entry.sections;

type Holds = ReturnType<typeof conditionsOf>;

function visibleEntry(entry: SectionEntry, holds: Holds): SectionEntry[] {
  return entry.type === 'site-section' ? visibleSection(entry, holds) : visibleGroup(entry, holds);
}

function visibleGroup(group: SectionGroupNode, holds: Holds): SectionGroupNode[] {
  const sections = group.sections.flatMap((section) => visibleSection(section, holds));
  return sections.length === 0 ? [] : [{ ...group, sections }];
}

function visibleSection(section: SectionNode, holds: Holds): SectionNode[] {
  if (!holds(section.row.condition)) {
    return [];
  }
  const siteSpaces = withDefault(visibleSiteSpaces(section.siteSpaces, holds));
  const defaultSiteSpace = defaultOf(siteSpaces);
  return defaultSiteSpace === null
    ? []
    : [{ ...section, row: { ...section.row, defaultSiteSpace }, siteSpaces }];
}

const visibleSiteSpaces = (siteSpaces: readonly SiteSpaceEntry[], holds: Holds): SiteSpaceEntry[] =>
  siteSpaces.filter(({ row }) => holds(row.condition));

/** Makes the first entry the default if none is. */
const withDefault = <Entry extends { isDefault: boolean }>(entries: readonly Entry[]): readonly Entry[] =>
  entries.some(({ isDefault }) => isDefault)
    ? entries
    : entries.map((entry, index) => ({ ...entry, isDefault: index === 0 }));

const defaultOf = (entries: readonly { row: { id: string }; isDefault: boolean }[]): string | null =>
  entries.find(({ isDefault }) => isDefault)?.row.id ?? null;
