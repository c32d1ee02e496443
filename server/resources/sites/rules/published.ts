import { notFound } from '../../../errors.ts';
import type { SiteName } from '../../../models/sites/queries.ts';
import type { SiteRow } from '../../../models/sites/rows.ts';
import { readStructure } from '../../../models/sites/structure.ts';
import { readViewOf, type StructureView, wholeView } from '../../../models/sites/visible.ts';
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
  const { query: queries } = ctx.database;
  const { site: row, member } = reader;
  if (!member) {
    return { row, view: await readViewOf(queries, reader) };
  }
  const visitor = await admitVisitor(ctx, row, { member, shareKey });
  if ('refused' in visitor) {
    throw notFound('published site');
  }
  // To guests, spaces are presented as to visitors: not all of them may be visible to them otherwise.
  const view = wholeView(await readStructure(queries, row), member.role === undefined ? undefined : member);
  const structure = visibleStructure(view.structure, visitor);
  return { row, view: { ...view, structure, shareKey: reader.shareKey } };
}
