import type { components } from '../../../../generated/schema.d.ts';
import {
  type CommitPlan,
  type CommitSource,
  commitTo,
  mainBranch,
  type OpenRevision,
  openBranch,
} from '../../../content/branch.ts';
import { hasConflictMarkers, type MergeSides, mergeContent } from '../../../content/merge/merge.ts';
import { textMerger } from '../../../content/threads/merging.ts';
import type { ContentChange } from '../../../content/tree/change.ts';
import { changedPages } from '../../../content/tree/changes.ts';
import type { Queries } from '../../../database/database.ts';
import type { CallerId } from '../../../identity/caller.ts';
import type { SpacePermission } from '../../../identity/permissions.ts';
import { ancestorOf } from '../../../models/change-requests/queries.ts';
import { writableBranchFor } from '../../../models/content-branches/queries.ts';
import { commitServices } from '../../kit/indexing.ts';
import type { Services } from '../../kit/slice.ts';

type Schemas = components['schemas'];

interface ChangeRequestPath {
  spaceId: string;
  changeRequestId: string;
}

/**
 * Merges a change request into its space. With conflicts, the space is unchanged: both sides are written to the text of
 * the change request, in a new revision of its own. As long as its text contains conflict markers, a merge returns
 * `conflicts` again.
 *
 * @throws ContractError 409 if it is already merged; LockError if too many others write to the space
 */
export async function mergeChangeRequest(
  services: Services,
  user: CallerId,
  path: ChangeRequestPath,
): Promise<Schemas['ChangeRequestMergeResult']> {
  const find = mergeFinder(user, path, 'merge');
  const { revision, plan } = await commitTo(commitServices(services), { find }, async (source) => {
    const sides = await openSides(services.database.query, source);
    if (await hasUnresolvedPages(contentsOf(sides))) {
      return undefined;
    }
    const merged = await merge(services, sides);
    return merged.conflicts ? planUpdate(user, sides, merged) : planMerge(user, sides, merged);
  });
  return { revision: revision.id, result: plan?.conflicts === false ? 'merge' : 'conflicts' };
}

/**
 * Merges the main content of the space into a change request: the same merge in the other direction. A change request
 * that is up to date is unchanged.
 *
 * @throws ContractError 409 if it is already merged; LockError if too many others write to the space
 */
export async function syncChangeRequest(
  services: Services,
  user: CallerId,
  path: ChangeRequestPath,
): Promise<Schemas['ChangeRequestUpdateResult']> {
  const find = mergeFinder(user, path, 'edit');
  const { revision, plan } = await commitTo(commitServices(services), { find }, async (source) => {
    const { main, ancestor } = source.branch;
    if (ancestor === main.revision) {
      return undefined;
    }
    const sides = await openSides(services.database.query, source);
    return planUpdate(user, sides, await merge(services, sides));
  });
  return { revision: revision.id, result: plan?.conflicts ? 'conflicts' : 'update' };
}

/** Returns a function that finds a change request with the revisions that a merge starts from. */
function mergeFinder(user: CallerId, path: ChangeRequestPath, permission: SpacePermission) {
  return async (queries: Queries) => {
    const { space, changeRequest, revision } = await writableBranchFor(queries, user, path, permission);
    if (!changeRequest) {
      throw new Error('The path of a change request led to the main content of its space.');
    }
    return { space, changeRequest, revision, main: mainBranch(space), ancestor: ancestorOf(changeRequest) };
  };
}

type MergeBranch = Awaited<ReturnType<ReturnType<typeof mergeFinder>>>;

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

async function merge({ threads }: Services, sides: Sides): Promise<MergedContent> {
  const mergeTexts = textMerger(threads, sides.primary.revision.organization);
  const { change, conflicts } = await mergeContent(contentsOf(sides), mergeTexts);
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
