import { type OpenRevision, openBranch } from '../../../content/branch.ts';
import { openContent } from '../../../content/store/content.ts';
import { findRevision } from '../../../content/store/revisions.ts';
import type { Queries } from '../../../database/database.ts';
import { notFound } from '../../../errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { type BranchPath, branchFor } from '../../../models/content-branches/queries.ts';
import { spaceFor } from '../../../models/spaces/queries.ts';

/** Path parameters of content to read: of a space, of a change request, or of a revision of either. */
export type SourcePath = BranchPath & { revisionId?: string };

/**
 * Opens the content that a path names, if the user may read the space.
 *
 * @throws ContractError 404 if it does not exist or is not visible to the user
 */
export async function sourceFor(queries: Queries, user: CallerId, path: SourcePath): Promise<OpenRevision> {
  if (path.revisionId === undefined) {
    return await openBranch(queries, await branchFor(queries, user, path, 'view'));
  }
  await spaceFor(queries, user, path.spaceId, 'view');
  const revision = await findRevision(queries, path.spaceId, path.revisionId);
  if (!revision) {
    throw notFound('revision');
  }
  return { revision, content: await openContent(queries, revision) };
}
