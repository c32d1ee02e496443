import type { components } from '../../../../generated/schema.d.ts';
import { contentLock, mainBranch } from '../../../content/branch.ts';
import { hasConflictMarkers, type MergeSides, mergeContent } from '../../../content/merge/merge.ts';
import { planContent } from '../../../content/plan.ts';
import { openContent } from '../../../content/store/content.ts';
import {
  type RevisionRow,
  requireRevision,
  storeAhead,
  storeRevision,
} from '../../../content/store/revisions.ts';
import { addressFinder } from '../../../content/threads/addresses.ts';
import { textMerger } from '../../../content/threads/merging.ts';
import type { PlannedContent } from '../../../content/tree/change.ts';
import { changedPages } from '../../../content/tree/changes.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { COLLIDED } from '../../../database/locks.ts';
import type { SpacePermission } from '../../../identity/permissions.ts';
import { ancestorOf } from '../../../models/change-requests/queries.ts';
import { type FoundBranch, writableBranchFor } from '../../../models/content-branches/queries.ts';
import { advance } from '../../kit/branch.ts';
import type { Services } from '../../kit/slice.ts';

type Schemas = components['schemas'];

interface ChangeRequestPath {
  spaceId: string;
  changeRequestId: string;
}

/**
 * Merges a change request into its space. With conflicts nothing goes to the
 * space: both sides are left in the text of the change request, in a new revision of its own, and as long as
 * markers are left in its text a merge answers `conflicts` again.
 *
 * @throws ContractError 409 once it is merged; LockError when too many others write to the space
 */
export function mergeChangeRequest(
  services: Services,
  user: string,
  path: ChangeRequestPath,
): Promise<Schemas['ChangeRequestMergeResult']> {
  return decide(services, { user, path, permission: 'merge' }, async (sides) => {
    if (await holdsMarkers(sides.contents)) return { result: 'conflicts' };
    const { planned, conflicts } = await planMerge(services, sides);
    return conflicts
      ? { result: 'conflicts', write: { planned, to: 'branch' } }
      : { result: 'merge', write: { planned, to: 'primary' } };
  });
}

/**
 * Brings what the space gained since into a change request: the same merge the other way round. One that is up
 * to date stays as it is.
 *
 * @throws ContractError 409 once it is merged; LockError when too many others write to the space
 */
export function syncChangeRequest(
  services: Services,
  user: string,
  path: ChangeRequestPath,
): Promise<Schemas['ChangeRequestUpdateResult']> {
  return decide(services, { user, path, permission: 'edit' }, async (sides) => {
    if (sides.ancestor.id === sides.primary.id) return { result: 'update' };
    const { planned, conflicts } = await planMerge(services, sides);
    return { result: conflicts ? 'conflicts' : 'update', write: { planned, to: 'branch' } };
  });
}

/** The three revisions of a merge, as they were before any transaction. */
interface Sides {
  ancestor: RevisionRow;
  primary: RevisionRow;
  branch: RevisionRow;
  contents: MergeSides;
}

/** What is to be answered, and where to write what first. */
interface Decision<Result> {
  result: Result;
  write?: { planned: PlannedContent; to: 'primary' | 'branch' };
}

/**
 * Reads the sides, decides without a transaction, and writes in one that finds both sides as they were; where
 * it does not, all starts again. Writers of the space and of the change request take turns, so that of two merges
 * at once the second one merges onto what the first one made.
 */
async function decide<Result>(
  services: Services,
  request: { user: string; path: ChangeRequestPath; permission: SpacePermission },
  work: (sides: Sides) => Promise<Decision<Result>>,
): Promise<{ revision: string; result: Result }> {
  const { database } = services;
  const attempt = async () => {
    const sides = await readSides(database.query, await baseOf(database.query, request));
    const { result, write } = await work(sides);
    if (!write) return { revision: sides.branch.id, result };
    return await database.transaction(async (trx) => {
      const base = await baseOf(trx, request);
      if (!isAsRead(base, sides)) return COLLIDED;
      const store = write.to === 'primary' ? storeMerge : storeUpdate;
      const merged = { ...sides, base, user: request.user, planned: write.planned };
      return { revision: (await store(trx, services, merged)).id, result };
    });
  };
  // Whoever may not merge does not get to wait either.
  const named = await baseOf(database.query, request);
  return await database.inTurn(contentLock(named), () =>
    database.inTurn(contentLock(mainBranch(named.space)), attempt),
  );
}

type BranchBase = FoundBranch & Required<Pick<FoundBranch, 'changeRequest'>>;

async function baseOf(
  queries: Queries,
  { user, path, permission }: { user: string; path: ChangeRequestPath; permission: SpacePermission },
): Promise<BranchBase> {
  const { changeRequest, ...branch } = await writableBranchFor(queries, user, path, permission);
  if (!changeRequest) throw new Error('A path with a change request led to the main content.');
  return { ...branch, changeRequest };
}

async function readSides(queries: Queries, { space, changeRequest }: BranchBase): Promise<Sides> {
  const ancestor = await requireRevision(queries, space.id, ancestorOf(changeRequest));
  const primary = await requireRevision(queries, space.id, space.revision);
  const branch = await requireRevision(queries, space.id, changeRequest.revision);
  const contents = {
    ancestor: await openContent(queries, ancestor),
    primary: await openContent(queries, primary),
    branch: await openContent(queries, branch),
  };
  return { ancestor, primary, branch, contents };
}

const isAsRead = ({ space, changeRequest }: BranchBase, { ancestor, primary, branch }: Sides): boolean =>
  space.revision === primary.id &&
  space.organization === primary.organization &&
  changeRequest.revision === branch.id &&
  ancestorOf(changeRequest) === ancestor.id;

/** Whether pages that the change request changed still hold what an earlier merge left to be chosen from. */
async function holdsMarkers({ ancestor, branch }: MergeSides): Promise<boolean> {
  const { added, changed } = await changedPages(ancestor, branch);
  const pages = await branch.readPages([...added, ...changed]);
  const bodies = await branch.readBodies(pages.values());
  return [...bodies.values()].some(hasConflictMarkers);
}

async function planMerge(
  services: Services,
  { primary, contents }: Sides,
): Promise<{ planned: PlannedContent; conflicts: boolean }> {
  const { change, conflicts } = await mergeContent(
    contents,
    textMerger(services.threads, primary.organization),
  );
  const findAddresses = addressFinder(services, primary.organization);
  const planned = await planContent(primary.root, change, contents.primary.load, findAddresses);
  const stored = await storeAhead(services.database, primary.organization, planned);
  return { planned: stored, conflicts: conflicts.length > 0 };
}

interface Write extends Sides {
  base: BranchBase;
  user: string;
  planned: PlannedContent;
}

/** Makes what was merged the content of the space. */
async function storeMerge(
  trx: Transaction,
  services: Services,
  { base, primary, branch, user, planned }: Write,
): Promise<RevisionRow> {
  const [id, now] = [services.makeId('rev'), services.clock()];
  const { space, access, changeRequest } = base;
  const parents = [primary.id, branch.id];
  const revision = await advance(trx, services, { ...mainBranch(space), access }, (common) =>
    storeRevision(trx, { ...common, id, type: 'merge', parents, createdBy: user, now }, planned),
  );
  await trx
    .updateTable('changeRequests')
    .set({ status: 'merged', revisionMerged: id, updatedAt: revision.createdAt })
    .where('id', '=', changeRequest.id)
    .execute();
  return revision;
}

/** Makes what was merged the content of the change request, which has then taken over the primary content. */
async function storeUpdate(
  trx: Transaction,
  services: Services,
  { base, primary, branch, user, planned }: Write,
): Promise<RevisionRow> {
  const [id, now] = [services.makeId('rev'), services.clock()];
  const parents = [branch.id, primary.id];
  const revision = await advance(trx, services, base, (common) =>
    storeRevision(trx, { ...common, id, type: 'update', parents, createdBy: user, now }, planned),
  );
  await trx
    .updateTable('changeRequests')
    .set({ revisionMergedAncestor: primary.id })
    .where('id', '=', base.changeRequest.id)
    .execute();
  return revision;
}
