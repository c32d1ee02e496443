import { type OpenRevision, openBranch } from '../../../content/branch.ts';
import { openContent } from '../../../content/store/content.ts';
import { findRevision } from '../../../content/store/revisions.ts';
import type { Queries } from '../../../database/database.ts';
import { notFound } from '../../../errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { type BranchPath, branchFor } from '../../../models/content-branches/queries.ts';
import { spaceFor } from '../../../models/spaces/queries.ts';

/** How paths name content to read: a space's, a change request's, or that of any revision of either. */
export type SourcePath = BranchPath & { revisionId?: string };

/**
 * The content that a user names, if they may read the space.
 *
 * @throws ContractError 404 where it does not exist for them
 */
export async function sourceFor(queries: Queries, user: CallerId, path: SourcePath): Promise<OpenRevision> {
  if (path.revisionId === undefined)
    return await openBranch(queries, await branchFor(queries, user, path, 'view'));
  await spaceFor(queries, user, path.spaceId, 'view');
  const revision = await findRevision(queries, path.spaceId, path.revisionId);
  if (!revision) throw notFound('revision');
  return { revision, content: await openContent(queries, revision) };
}
