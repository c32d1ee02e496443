import type { Queries, Transaction } from '../database/database.ts';
import { COLLIDED } from '../database/locks.ts';
import { requireQuota } from '../quotas/use.ts';
import {
  isStored,
  type NewRevision,
  type PreparedRevision,
  prepareRevision,
  type RevisionServices,
  storePrepared,
} from './new-revision.ts';
import { type OpenRevision, openContent } from './store/content.ts';
import type { PendingFiles } from './store/pending-files.ts';
import { activateRevision, cacheRevision, currentRevision, type RevisionRow } from './store/revisions.ts';
import { countAddedPages } from './tree/changes.ts';

/** A target of reads and writes: the main content of a space, or a change request. */
export interface ContentBranch {
  space: { id: string; organization: string };
  /** Omitted for the main content. */
  changeRequest?: { id: string };
  /** ID of the current revision. */
  revision: string;
}

/** The main content of a space. */
export const mainBranch = <Space extends ContentBranch['space'] & { revision: string }>(space: Space) => ({
  space,
  revision: space.revision,
});

/** Opens the current revision of a branch. */
export async function openBranch(queries: Queries, branch: ContentBranch): Promise<OpenRevision> {
  const revision = await currentRevision(queries, branch);
  return { revision, content: await openContent(queries, revision) };
}

/** The lock that makes writers of a branch take turns, see `Database.inTurn`. */
export const contentLock = ({ space, changeRequest }: ContentBranch): string =>
  `content ${changeRequest?.id ?? space.id}`;

/** Services that {@link commitTo} uses. */
export interface CommitServices extends RevisionServices {
  /** Enqueues a job, in the transaction, that indexes the new main content of a space for search. */
  enqueueIndexing(trx: Transaction, space: ContentBranch['space']): Promise<void>;
  /** Reports, in the transaction, the new main content of a space to the integrations that apply to it. */
  raiseContentUpdated(trx: Transaction, space: ContentBranch['space'], revision: RevisionRow): Promise<void>;
}

/** The branch of a commit. A merge also names the other revisions that it is planned from. */
export interface CommitBranch extends ContentBranch {
  /** The main content of the space of a change request. */
  main?: ContentBranch;
  /** ID of the revision that both have in common. */
  ancestor?: string;
}

/** Target of a commit. */
export interface CommitTarget<Branch> {
  /**
   * Finds the branch, and throws if it must not be written to. Called before waiting for other writers, and in the
   * transaction; before planning, too, if other writers came first. If there is none, nothing is written.
   */
  find: (queries: Queries) => Promise<Branch>;
  /** What `find` has just returned, so that it is not called again before waiting. */
  found?: Branch | undefined;
  /** Files that the new content refers to. The transaction of the commit publishes them. */
  files?: PendingFiles;
  /** Whether the first attempt does not wait for other writers: for commits that take long to plan. */
  optimistic?: boolean;
}

/** Source of the plan of a commit: the branch and its current revision. */
export interface CommitSource<Branch extends CommitBranch> extends OpenRevision {
  branch: Branch;
  now: Date;
}

/** Plans a commit, without a transaction. Returns undefined if there is nothing to change. */
export type PlanCommit<Branch extends CommitBranch, Plan> = (
  source: CommitSource<Branch>,
) => Promise<Plan | undefined>;

/** The changes of a commit. */
export interface CommitPlan<Branch extends CommitBranch> {
  /** The next revision: one to store, or a stored one. If omitted, the current one remains. */
  revision?: NewRevision | RevisionRow | undefined;
  /** The branch whose current revision it becomes: this branch (default), the main content, or none. */
  to?: 'branch' | 'main' | 'none';
  /** Other changes of the same transaction, after the revision. */
  also?: (trx: Transaction, committed: { branch: Branch; revision: RevisionRow }) => Promise<void>;
}

/** A completed commit. */
export interface Commit<Branch, Plan> {
  branch: Branch;
  /** The revision that the commit stored; without one, the current revision of the branch. */
  revision: RevisionRow;
  /** Omitted if there was nothing to change. */
  plan?: Plan;
}

/**
 * Writes to a content branch. Writers of the same branch take turns; a merge takes the turn of the change request and
 * then that of the space. The change is planned without a transaction, and its large parts are stored ahead of it.
 * One transaction then stores the rest if the branch is unchanged. If a writer of another process or a sweep changed
 * it, the change is planned again.
 *
 * @returns undefined if `find` returned no branch
 * @throws the errors of `find` and `plan`; LockError if too many others write to the branch; ContractError 403 if the
 *   organization would have too many pages or bytes
 */
export async function commitTo<Branch extends CommitBranch, Plan extends CommitPlan<Branch>>(
  services: CommitServices,
  target: CommitTarget<Branch>,
  plan: PlanCommit<Branch, Plan>,
): Promise<Commit<Branch, Plan>>;
export async function commitTo<Branch extends CommitBranch, Plan extends CommitPlan<Branch>>(
  services: CommitServices,
  target: CommitTarget<Branch | undefined>,
  plan: PlanCommit<Branch, Plan>,
): Promise<Commit<Branch, Plan> | undefined>;
export async function commitTo<Branch extends CommitBranch, Plan extends CommitPlan<Branch>>(
  services: CommitServices,
  target: CommitTarget<Branch | undefined>,
  plan: PlanCommit<Branch, Plan>,
): Promise<Commit<Branch, Plan> | undefined> {
  const { database } = services;
  const { find, found, optimistic } = target;
  const attemptAnew = async () => {
    const branch = await find(database.query);
    return branch && (await attemptCommit(services, target, plan, branch));
  };
  if (optimistic) {
    const commit = await attemptAnew();
    if (commit !== COLLIDED) {
      return commit;
    }
  }
  // Rejects a caller without write permission before the wait.
  const branch = found ?? (await find(database.query));
  if (!branch) {
    return undefined;
  }
  const { main } = branch;
  const attempt = async (hasWaited: boolean) => {
    // Unless other writers came first, the branch is most likely unchanged.
    const commit = hasWaited ? COLLIDED : await attemptCommit(services, target, plan, branch);
    return commit === COLLIDED ? await attemptAnew() : commit;
  };
  return await database.inTurn(contentLock(branch), (hasWaited) =>
    main
      ? database.inTurn(contentLock(main), (hasWaitedForMain) => attempt(hasWaited || hasWaitedForMain))
      : attempt(hasWaited),
  );
}

async function attemptCommit<Branch extends CommitBranch, Plan extends CommitPlan<Branch>>(
  services: CommitServices,
  { find, files }: CommitTarget<Branch | undefined>,
  plan: PlanCommit<Branch, Plan>,
  branch: Branch,
): Promise<Commit<Branch, Plan> | undefined | typeof COLLIDED> {
  const { database, clock } = services;
  const opened = await openBranch(database.query, branch);
  const { organization } = opened.revision;
  const now = clock();
  const planned = await plan({ ...opened, branch, now });
  if (!planned) {
    return { branch, revision: opened.revision };
  }
  const next = await prepareRevision(services, opened, planned.revision);
  const addedPages = next ? await pagesAdded(services, opened, branch, planned.to, next) : 0;
  const commit = await database.transaction(async (trx) => {
    // Since the branch was found, it may have been changed, merged, locked or transferred, and the caller may have lost
    // the permission: by other requests, and by other processes, which the turn does not exclude.
    const current = await find(trx);
    if (!current) {
      return undefined;
    }
    if (!isUnchanged(current, branch) || current.space.organization !== organization) {
      return COLLIDED;
    }
    if (next && 'content' in next && !(await isStored(trx, organization, next))) {
      return COLLIDED;
    }
    await files?.publish(trx);
    const destination = destinationOf(current, planned.to);
    const { space, changeRequest } = destination ?? current;
    const owner = { organization, space: space.id, changeRequest: changeRequest?.id, now };
    const revision = next ? await storePrepared(trx, services, next, owner) : opened.revision;
    if (next && destination) {
      await makeCurrent(trx, services, destination, { revision, addedPages });
    }
    await planned.also?.(trx, { branch: current, revision });
    return { branch: current, revision, plan: planned };
  });
  if (commit && commit !== COLLIDED && next) {
    cacheRevision(database.query, commit.revision, 'content' in next ? next.content : undefined);
  }
  return commit;
}

/** Returns whether the branch, and the other revisions of a merge, are unchanged since they were read. */
function isUnchanged(current: CommitBranch, before: CommitBranch): boolean {
  return (
    current.revision === before.revision &&
    current.space.organization === before.space.organization &&
    current.main?.revision === before.main?.revision &&
    current.ancestor === before.ancestor
  );
}

/** The branch whose current revision a commit replaces, if any. */
function destinationOf(current: CommitBranch, to: CommitPlan<CommitBranch>['to']): ContentBranch | undefined {
  if (to === 'none') {
    return undefined;
  }
  if (to !== 'main') {
    return current;
  }
  if (!current.main) {
    throw new Error('A commit to the main content requires a branch with its space.');
  }
  return current.main;
}

/** Returns how many more pages a commit adds to the main content of the space than it removes. */
async function pagesAdded(
  { database }: CommitServices,
  opened: OpenRevision,
  branch: CommitBranch,
  to: CommitPlan<CommitBranch>['to'],
  next: PreparedRevision | RevisionRow,
): Promise<number> {
  const destination = destinationOf(branch, to);
  if (!destination || destination.changeRequest) {
    return 0;
  }
  const { content: before } = destination === branch ? opened : await openBranch(database.query, destination);
  return await countAddedPages(before, 'content' in next ? next.content : next);
}

/** Makes a revision the current one of a branch that was found in the same transaction. */
async function makeCurrent(
  trx: Transaction,
  services: CommitServices,
  { space, changeRequest, revision: expected }: ContentBranch,
  { revision, addedPages }: { revision: RevisionRow; addedPages: number },
): Promise<void> {
  if (!changeRequest) {
    await requireQuota(trx, services.quotas, revision.organization, { pages: addedPages });
    if (!(await activateRevision(trx, { revision, expected, addedPages }))) {
      throw new Error(`The space ${space.id} changed during the transaction that writes to it.`);
    }
    await services.raiseContentUpdated(trx, space, revision);
    return await services.enqueueIndexing(trx, space);
  }
  await trx
    .updateTable('changeRequests')
    .set({ revision: revision.id, updatedAt: revision.createdAt })
    .where('id', '=', changeRequest.id)
    .execute();
}
