import { conditionsOf } from '../conditions.ts';
import { filterStructure, type SiteStructure } from '../structure.ts';
import type { SiteVisitor } from './visitor.ts';

/**
 * Returns the part of a structure whose conditions hold for a visitor, see {@link filterStructure}. A site without
 * remaining entries does not exist for the visitor.
 */
export function visibleStructure(structure: SiteStructure, visitor: SiteVisitor): SiteStructure {
  const holds = conditionsOf(structure.site, visitor.claims);
  return filterStructure(structure, {
    siteSpace: ({ condition }) => holds(condition),
    section: ({ condition }) => holds(condition),
  });
}
