import { notFound } from '../../../errors.ts';
import type { SiteName } from '../../../models/sites/queries.ts';
import type { SiteRow } from '../../../models/sites/rows.ts';
import { readViewOf, type StructureView } from '../../../models/sites/visible.ts';
import { admitVisitor } from '../../../models/sites/visitors/admit.ts';
import { siteReaderOf } from '../../../models/sites/visitors/reader.ts';
import { visibleStructure } from '../../../models/sites/visitors/structure.ts';
import type { Context } from '../../kit/slice.ts';

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
): Promise<{ row: SiteRow; view: StructureView }> {
  const reader = await siteReaderOf(ctx, name, shareKey);
  const { site: row, member } = reader;
  const view = await readViewOf(ctx.database.query, reader);
  if (!member) {
    return { row, view };
  }
  const visitor = await admitVisitor(ctx, row, { member });
  if ('refused' in visitor) {
    throw notFound('published site');
  }
  return { row, view: { ...view, structure: visibleStructure(view.structure, visitor) } };
}
