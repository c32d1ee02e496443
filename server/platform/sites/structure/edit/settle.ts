import type { StructureRows } from '../../../spaces/publications/rows.ts';
import { compareRows, sectionsOf, structureOf } from '../../../spaces/publications/structure.ts';

/**
 * Restores the rules of a structure after entries were added or removed: a section without site spaces is removed, rows
 * are in order, and the first remaining entry replaces a default that was removed.
 */
export function settle({ site, groups, sections, siteSpaces }: StructureRows): StructureRows {
  const orderedSiteSpaces = siteSpaces.toSorted(compareRows);
  const bySection = Map.groupBy(orderedSiteSpaces, ({ section }) => section);
  /** Returns the default site space of a section, or of the root (null). */
  const defaultIn = (section: string | null, current: string | null): string | null => {
    const variants = bySection.get(section) ?? [];
    return (variants.find(({ id }) => id === current) ?? variants[0])?.id ?? null;
  };
  const rows: StructureRows = {
    site: { ...site, defaultSiteSpace: defaultIn(null, site.defaultSiteSpace) },
    groups: groups.toSorted(compareRows),
    sections: sections.toSorted(compareRows).flatMap((section) => {
      const defaultSiteSpace = defaultIn(section.id, section.defaultSiteSpace);
      return defaultSiteSpace === null ? [] : [{ ...section, defaultSiteSpace }];
    }),
    siteSpaces: orderedSiteSpaces,
  };
  const ordered = sectionsOf(structureOf(rows));
  const first = ordered.find(({ row }) => row.id === site.defaultSection) ?? ordered[0];
  return { ...rows, site: { ...rows.site, defaultSection: first?.row.id ?? null } };
}
