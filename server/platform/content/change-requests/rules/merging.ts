import {
  type CommitPlan,
  type CommitSource,
  commitTo,
  mainBranch,
  openBranch,
} from '../../../../content/branch.ts';
import { hasConflictMarkers, type MergeSides, mergeContent } from '../../../../content/merge/merge.ts';
import type { OpenRevision } from '../../../../content/store/content.ts';
import type { RevisionRow } from '../../../../content/store/revisions.ts';
import { textMerger } from '../../../../content/threads/merging.ts';
import type { ContentChange } from '../../../../content/tree/change.ts';
import { changedPages } from '../../../../content/tree/changes.ts';
import type { Queries } from '../../../../database/database.ts';
import type { SpacePermission } from '../../../../identity/permissions.ts';
import type { Context } from '../../../kit/slice.ts';
import { writableBranchFor } from '../../content-branches/queries.ts';
import { commitServices } from '../../indexing/indexing.ts';
import { ancestorOf, type ChangeRequestPath } from '../queries.ts';

/**
 * Merges a change request into its space. With conflicts, the space is unchanged: both sides are written to the text of
 * the change request, in a new revision of its own. As long as its text contains conflict markers, it cannot be merged.
 *
 * @returns the current revision, of the space if the change request was merged, and otherwise of the change request
 * @throws ContractError 409 if it is already merged; LockError if too many others write to the space
 */
export async function mergeChangeRequest(
  ctx: Context,
  path: ChangeRequestPath,
): Promise<{ revision: RevisionRow; merged: boolean }> {
  const find = (queries: Queries) => findMergeBranch(queries, ctx, path, 'merge');
  const { revision, plan } = await commitTo(commitServices(ctx), { find }, async (source) => {
    const sides = await openSides(ctx.database.query, source);
    if (await hasUnresolvedPages(contentsOf(sides))) {
      return undefined;
    }
    const merged = await merge(ctx, sides);
    return merged.conflicts
      ? planUpdate(ctx.caller.id, sides, merged)
      : planMerge(ctx.caller.id, sides, merged);
  });
  return { revision, merged: plan?.conflicts === false };
}

/**
 * Merges the main content of the space into a change request: the same merge in the other direction. A change request
 * that is up to date is unchanged.
 *
 * @returns the current revision of the change request, and whether its text now contains conflict markers
 * @throws ContractError 409 if it is already merged; LockError if too many others write to the space
 */
export async function syncChangeRequest(
  ctx: Context,
  path: ChangeRequestPath,
): Promise<{ revision: RevisionRow; conflicts: boolean }> {
  const find = (queries: Queries) => findMergeBranch(queries, ctx, path, 'edit');
  const { revision, plan } = await commitTo(commitServices(ctx), { find }, async (source) => {
    const { main, ancestor } = source.branch;
    if (ancestor === main.revision) {
      return undefined;
    }
    const sides = await openSides(ctx.database.query, source);
    return planUpdate(ctx.caller.id, sides, await merge(ctx, sides));
  });
  return { revision, conflicts: plan?.conflicts === true };
}

/** Finds a change request with the revisions that a merge starts from. */
async function findMergeBranch(
  queries: Queries,
  { caller }: Context,
  path: ChangeRequestPath,
  permission: SpacePermission,
) {
  const { space, changeRequest, revision } = await writableBranchFor(queries, caller.id, path, permission);
  return { space, changeRequest, revision, main: mainBranch(space), ancestor: ancestorOf(changeRequest) };
}

type MergeBranch = Awaited<ReturnType<typeof findMergeBranch>>;

/** The three revisions of a merge. */
type Sides = Record<keyof MergeSides, OpenRevision>;

async function openSides(
  queries: Queries,
  { branch: { space, main, ancestor }, revision, content }: CommitSource<MergeBranch>,
): Promise<Sides> {
  return {
    ancestor: await openBranch(queries, { space, revision: ancestor }),
    primary: await openBranch(queries, main),
    branch: { revision, content },
  };
}

const contentsOf = ({ ancestor, primary, branch }: Sides): MergeSides => ({
  ancestor: ancestor.content,
  primary: primary.content,
  branch: branch.content,
});

/** Whether pages that the change request changed still contain conflict markers of an earlier merge. */
async function hasUnresolvedPages({ ancestor, branch }: MergeSides): Promise<boolean> {
  const { added, changed } = await changedPages(ancestor, branch);
  const pages = await branch.readPages([...added, ...changed]);
  const bodies = await branch.readBodies(pages.values());
  return [...bodies.values()].some(hasConflictMarkers);
}

/** The change of a merge to the main content, and whether it contains conflict markers. */
interface MergedContent {
  change: ContentChange;
  conflicts: boolean;
}

async function merge({ threads }: Context, sides: Sides): Promise<MergedContent> {
  const mergeTexts = textMerger(threads, sides.primary.revision.organization);
  const { change, conflicts } = await mergeContent(contentsOf(sides), { mergeTexts });
  return { change, conflicts: conflicts.length > 0 };
}

type MergePlan = CommitPlan<MergeBranch> & Pick<MergedContent, 'conflicts'>;

/** Plans the commit that makes the merged content the main content of the space. */
function planMerge(createdBy: string, sides: Sides, { change, conflicts }: MergedContent): MergePlan {
  const parents = [sides.primary.revision.id, sides.branch.revision.id];
  return {
    conflicts,
    to: 'main',
    revision: { type: 'merge', parents, createdBy, content: change, onto: sides.primary },
    also: async (trx, { branch, revision }) => {
      await trx
        .updateTable('changeRequests')
        .set({ status: 'merged', revisionMerged: revision.id, updatedAt: revision.createdAt })
        .where('id', '=', branch.changeRequest.id)
        .execute();
    },
  };
}

/** Plans the commit of the merged content to the change request, which then includes the main content. */
function planUpdate(createdBy: string, sides: Sides, { change, conflicts }: MergedContent): MergePlan {
  const { primary, branch } = sides;
  const parents = [branch.revision.id, primary.revision.id];
  return {
    conflicts,
    revision: { type: 'update', parents, createdBy, content: change, onto: primary },
    also: async (trx, { branch: { changeRequest } }) => {
      await trx
        .updateTable('changeRequests')
        .set({ revisionMergedAncestor: primary.revision.id })
        .where('id', '=', changeRequest.id)
        .execute();
    },
  };
}
