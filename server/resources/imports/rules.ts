import type { components } from '../../../generated/schema.d.ts';
import { commitTo } from '../../content/commit.ts';
import { addTo } from '../../content/convert/plan.ts';
import { type ConvertLimits, DEFAULT_LIMITS } from '../../content/convert/types.ts';
import { imageDimensions } from '../../content/repository/read/assets.ts';
import { PendingFiles } from '../../content/store/pending-files.ts';
import type { RevisionRow } from '../../content/store/revisions.ts';
import { unavailable } from '../../contract/errors.ts';
import type { Queries } from '../../database/database.ts';
import { type BranchPath, writableBranchFor } from '../../models/content-branches/queries.ts';
import { commitServices } from '../kit/indexing.ts';
import type { Context } from '../kit/slice.ts';
import { readSource } from './rules/source.ts';

/** An import: the current revision of the branch, and how many of the source's pages and files were imported. */
export interface Imported {
  revision: RevisionRow;
  imported: number;
  total: number;
}

/**
 * Imports content from a URL to a content branch. Pages are added at the end of the tree; existing content is unchanged.
 *
 * @throws ContractError 400 for a source that cannot be read, 503 if too many imports are running
 */
export async function importContent(
  ctx: Context,
  { url, source, ...path }: BranchPath & components['schemas']['ContentImport'],
  limits: ConvertLimits = DEFAULT_LIMITS,
): Promise<Imported> {
  const { caller, database, slots } = ctx;
  // Checks permission and edit mode before anything is fetched.
  const { space } = await writableBranchFor(database.query, caller.id, path, 'edit');
  using _slot = await slots.imports.enter(space.organization, unavailable);
  await using files = new PendingFiles(ctx, space.organization, imageDimensions);
  const { imported, total, ...addition } = await readSource(ctx, { url, source }, { files, limits });
  const find = (queries: Queries) => writableBranchFor(queries, caller.id, path, 'edit', files);
  const { revision } = await commitTo(commitServices(ctx), { find, files }, async ({ content }) => {
    const change = await addTo(content, addition);
    return change && { revision: { content: change, type: 'edits', createdBy: caller.id } };
  });
  return { revision, imported, total };
}
