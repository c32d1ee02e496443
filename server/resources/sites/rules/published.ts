import { notFound } from '../../../errors.ts';
import { type SiteName, siteFor } from '../../../models/sites/queries.ts';
import type { SiteRow } from '../../../models/sites/rows.ts';
import { readView, type StructureView } from '../../../models/sites/visible.ts';
import { admitVisitor } from '../../../models/sites/visitors/admit.ts';
import { visibleStructure } from '../../../models/sites/visitors/structure.ts';
import type { Context } from '../../kit/slice.ts';

/**
 * Reads a published site with the structure that the caller sees as a visitor.
 *
 * @throws ContractError 404 if the site is not published or does not exist for the caller
 */
export async function readPublished(
  ctx: Context,
  name: SiteName,
): Promise<{ row: SiteRow; view: StructureView }> {
  const { query: queries } = ctx.database;
  const { row, member } = await siteFor(queries, ctx.caller.id, name, 'view');
  const visitor = await admitVisitor(ctx, row, { member });
  if ('refused' in visitor) {
    throw notFound('published site');
  }
  const view = await readView(queries, { row, member });
  return { row, view: { ...view, structure: visibleStructure(view.structure, visitor) } };
}
