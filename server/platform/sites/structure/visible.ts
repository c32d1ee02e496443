import type { Queries } from '../../../database/database.ts';
import { notFound } from '../../../errors/errors.ts';
import type { Membership } from '../../../identity/membership.ts';
import { spacesVisibleAmong } from '../../../identity/visible-spaces.ts';
import { SitePaths } from '../../spaces/publications/paths.ts';
import {
  filterStructure,
  readStructure,
  type SiteRow,
  type SiteStructure,
  siteSpacesOf,
} from '../../spaces/publications/structure.ts';
import type { SiteReader } from '../visitors/reader.ts';
import { visibleStructure } from '../visitors/structure.ts';

/** The part of a structure that a reader sees. */
export interface StructureView {
  structure: SiteStructure;
  /** Paths of the whole structure. */
  paths: SitePaths;
  /** Undefined for a visitor. */
  member: Membership | undefined;
  /** Secret of a share link that the published URLs contain. */
  shareKey?: string | undefined;
}

/** Creates the view of a member who sees the whole structure. */
export const wholeView = (structure: SiteStructure, member: Membership | undefined): StructureView => ({
  structure,
  paths: new SitePaths(structure),
  member,
});

/**
 * Reads the part of the structure of a site that a reader sees: members see it regardless of conditions.
 *
 * @throws ContractError 404 if a visitor sees no entry
 */
export async function readViewOf(
  queries: Queries,
  { site, member, visitor, shareKey }: SiteReader,
): Promise<StructureView> {
  if (member) {
    return { ...(await readView(queries, { row: site, member })), shareKey };
  }
  const view = wholeView(await readStructure(queries, site), undefined);
  const structure = visibleStructure(view.structure, visitor);
  if (structure.entries.length === 0) {
    throw notFound('site');
  }
  return { ...view, structure, shareKey };
}

/** Reads the part of the structure of a site that a member sees: for guests, that of the spaces visible to them. */
export async function readView(
  queries: Queries,
  { row, member }: { row: SiteRow; member: Membership },
): Promise<StructureView> {
  const view = wholeView(await readStructure(queries, row), member);
  if (member.role !== undefined) {
    return view;
  }
  const spaces = new Set(siteSpacesOf(view.structure).map((siteSpace) => siteSpace.row.space));
  const rows = await spacesVisibleAmong(queries, member, [...spaces])
    .select('spaces.id')
    .execute();
  const visible = new Set(rows.map(({ id }) => id));
  const structure = filterStructure(view.structure, {
    siteSpace: ({ space }) => visible.has(space),
    section: () => true,
  });
  return { ...view, structure };
}
