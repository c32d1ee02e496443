import { openBranch } from '../../content/branch.ts';
import { type OpenRevision, openContent } from '../../content/store/content.ts';
import { findRevision } from '../../content/store/revisions.ts';
import { notFound } from '../../errors.ts';
import { type BranchPath, branchFor } from '../../models/content-branches/queries.ts';
import { withComputedPages } from '../../models/openapi-specs/computed.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import type { Context } from '../kit/slice.ts';

/** Path parameters of content to read: of a space, of a change request, or of a revision of either. */
export type SourcePath = BranchPath & { revisionId?: string };

/**
 * Opens the content that a path names, if the caller may read the space.
 *
 * @param computed whether it has computed pages in place of their entries
 * @throws ContractError 404 if it does not exist or is not visible to the caller
 */
export async function openSource(
  ctx: Context,
  { computed, ...path }: SourcePath & { computed: boolean },
): Promise<OpenRevision> {
  const { revision, content } = await openStored(ctx, path);
  return { revision, content: computed ? withComputedPages(ctx, revision.organization, content) : content };
}

async function openStored({ caller, database }: Context, path: SourcePath): Promise<OpenRevision> {
  const { query } = database;
  if (path.revisionId === undefined) {
    return await openBranch(query, await branchFor(query, caller.id, path, 'view'));
  }
  await spaceFor(query, caller.id, path.spaceId, 'view');
  const revision = await findRevision(query, path.spaceId, path.revisionId);
  if (!revision) {
    throw notFound('revision');
  }
  return { revision, content: await openContent(query, revision) };
}
