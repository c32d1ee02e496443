import { filterStructure, type SiteStructure } from '../../spaces/publications/structure.ts';
import { conditionsOf } from './conditions.ts';
import type { SiteVisitor } from './visitor.ts';

/**
 * Returns the part of a structure with conditions that hold for a visitor and spaces that a guest sees, see
 * {@link filterStructure}. A site without remaining entries does not exist for the visitor.
 */
export function visibleStructure(structure: SiteStructure, visitor: SiteVisitor): SiteStructure {
  const { claims, spaces } = visitor;
  const holds = conditionsOf(structure.site, claims);
  return filterStructure(structure, {
    siteSpace: ({ condition, space }) => holds(condition) && spaces?.has(space) !== false,
    section: ({ condition }) => holds(condition),
  });
}
