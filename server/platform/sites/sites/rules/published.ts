import type { Context } from '../../../kit/slice.ts';
import type { SiteRow } from '../../../spaces/publications/rows.ts';
import { readStructure } from '../../../spaces/publications/structure.ts';
import {
  findSiteIntegrations,
  listShownInstallations,
  type SiteScript,
} from '../../site-integrations/find.ts';
import { readViewOf, type StructureView, wholeView } from '../../structure/visible.ts';
import { type SiteReader, siteReaderOf } from '../../visitors/reader.ts';
import { visibleStructure } from '../../visitors/structure.ts';
import { visitorFor } from '../../visitors/visit.ts';
import type { SiteName } from '../queries.ts';

/** A published site as a visitor sees it. */
export interface PublishedSite {
  row: SiteRow;
  view: StructureView;
  /** Scripts of integrations on its pages. */
  scripts: readonly SiteScript[];
}

/**
 * Reads a published site with the structure that the caller sees as a visitor.
 *
 * @throws ContractError 404 if the site is not published or does not exist for the caller, 401 if a credential is missing
 *   or invalid
 */
export async function readPublished(
  ctx: Context,
  name: SiteName,
  shareKey: string | undefined,
): Promise<PublishedSite> {
  const reader = await siteReaderOf(ctx, name, shareKey);
  const view = await viewOf(ctx, reader, shareKey);
  const { query: queries } = ctx.database;
  const installations = await listShownInstallations(queries, reader.site.organization);
  const { scripts } = await findSiteIntegrations(queries, reader.site, installations, ctx);
  return { row: reader.site, view, scripts };
}

async function viewOf(
  ctx: Context,
  reader: SiteReader,
  shareKey: string | undefined,
): Promise<StructureView> {
  const { query: queries } = ctx.database;
  const { site: row, member } = reader;
  if (!member) {
    return await readViewOf(queries, reader);
  }
  const visitor = await visitorFor(ctx, reader, shareKey);
  // To guests, spaces are presented as to visitors: not all of them may be visible to them otherwise.
  const view = wholeView(await readStructure(queries, row), member.role === undefined ? undefined : member);
  const structure = visibleStructure(view.structure, visitor);
  return { ...view, structure, shareKey: reader.shareKey };
}
