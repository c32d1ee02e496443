import { type ContentBranch, mainBranch } from '../../../../content/branch.ts';
import { findRevision, type RevisionRow } from '../../../../content/store/revisions.ts';
import { ContractError } from '../../../../contract/errors.ts';
import type { Queries, Transaction } from '../../../../database/database.ts';
import { readJson, writeJson } from '../../../../database/json.ts';
import type { RevisionGit } from '../../../../database/schema/content/revisions.ts';
import type { SpaceGit } from '../../../../database/schema/spaces/spaces.ts';
import { callerIdOf } from '../../../../identity/caller.ts';
import type { SpacePermission } from '../../../../identity/permissions.ts';
import { type Job, JobFailure, type JobKind } from '../../../../jobs/queue.ts';
import { splitCredentials } from '../../../../outgoing/credentials.ts';
import type { GitCommit } from '../../../../outgoing/git/git.ts';
import type { Services } from '../../../kit/slice.ts';
import { spaceFor } from '../../../spaces/spaces/queries.ts';
import { isPermanent, runFailureOf, runFailureOfProcess } from '../../runs/failures.ts';
import { type RunFailure, recordFailure, runOfJob, startRun } from '../../runs/record.ts';
import type { GitTransfer } from '../rules.ts';
import { failTransferRun } from './events.ts';
import { findSyncedBranch, type RemoteBranch, recordSyncedBranch } from './synced-branches.ts';

/** The main content of a space, for a transfer. */
export interface TransferSpace extends ContentBranch {
  editMode: 'live' | 'locked';
  /** The last synchronization of the space, with any repository. */
  git: SpaceGit | undefined;
}

/**
 * Returns the space of a transfer; undefined if the transfer is obsolete, because the space does not exist or a later
 * transfer was completed. A forced transfer is never obsoleted by a later one.
 */
export async function transferSpace(
  queries: Queries,
  { space, timestamp, force }: GitTransfer,
): Promise<TransferSpace | undefined> {
  const row = await queries
    .selectFrom('spaces')
    .select(['id', 'organization', 'revision', 'git', 'editMode'])
    .where('id', '=', space)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (!row) {
    return undefined;
  }
  const git = readJson(row.git) ?? undefined;
  const isLate = !force && git?.timestamp != null && timestamp !== undefined && timestamp < git.timestamp;
  return isLate ? undefined : { ...mainBranch(row), editMode: row.editMode, git };
}

/** Cause of a run that its caller may no longer request. */
export const NO_LONGER_PERMITTED: RunFailure = {
  reason: 'superseded',
  message:
    'The caller lost the permission for it before it was completed. Request it with another access token.',
};

/** Returns whether the caller who requested a transfer may still request it. */
export async function isPermitted(
  queries: Queries,
  { space, user }: GitTransfer,
  permission: SpacePermission,
): Promise<boolean> {
  try {
    await spaceFor(queries, callerIdOf(user), space, permission);
    return true;
  } catch (error) {
    if (error instanceof ContractError && (error.status === 403 || error.status === 404)) {
      return false;
    }
    throw error;
  }
}

/** Returns the remote branch of a transfer. */
export function remoteBranchOf({ ref }: GitTransfer, url: string): RemoteBranch {
  return { address: splitCredentials(url).url.href, ref };
}

/** Whether the last synchronization of a space was with a remote branch. */
export function isSyncedWith(git: SpaceGit | undefined, { address, ref }: RemoteBranch): boolean {
  return git?.address === address && git.ref === ref;
}

/** Returns the ID of the revision of a job, the same in each attempt, so that the next one recognizes its result. */
export function revisionOf(job: { id: string }): string {
  return job.id.replace(/^[^_]*/, 'rev');
}

/** Finds the revision that an earlier attempt of a job created. */
export function findJobRevision(
  queries: Queries,
  job: { id: string },
  space: string,
): Promise<RevisionRow | undefined> {
  return findRevision(queries, space, revisionOf(job));
}

/** Returns the Git information of a revision. */
export function revisionGit(
  { ref, repoCommitURL }: GitTransfer,
  { oid, message }: Pick<GitCommit, 'oid' | 'message'>,
  createdByService: boolean,
): RevisionGit {
  const url = repoCommitURL && `${repoCommitURL.replace(/\/+$/, '')}/${oid}`;
  return { oid, message, createdByService, ref, ...(url && { url }) };
}

/**
 * Whether the content of a space is that of a synchronized commit, possibly edited since. Other branches may have been
 * exported to since, but not imported.
 */
export const isContained = (synced: SpaceGit, latest: SpaceGit | undefined): boolean =>
  synced.imported === latest?.imported;

/**
 * Records the commit that a space is synchronized with, as its last one and as that of the branch.
 *
 * @param imported whether the content was replaced by that of the commit
 */
export async function recordSyncedCommit(
  trx: Transaction,
  { clock }: Services,
  payload: GitTransfer,
  { space, git: latest }: TransferSpace,
  synced: RemoteBranch & { oid: string; revision: string; imported: boolean },
): Promise<void> {
  const { gitInfo, repoProjectDirectory, repoTreeURL, repoCommitURL, timestamp, force } = payload;
  const { address, ref, oid, revision, imported } = synced;
  const before = await findSyncedBranch(trx, space.id, synced);
  // A forced transfer may be older than the last one. Transfers between the two stay obsolete.
  const times = [timestamp, force ? before?.timestamp : undefined].filter((time) => time != null).sort();
  const git: SpaceGit = {
    url: gitInfo?.url ?? before?.url ?? address,
    ref,
    repoName: new URL(address).pathname.replace(/^\/+|\/+$|\.git\/*$/g, ''),
    installationProvider: gitInfo?.provider ?? before?.installationProvider ?? null,
    integration: before?.integration ?? null,
    projectDirectory: repoProjectDirectory ?? null,
    treeURL: repoTreeURL ?? before?.treeURL ?? null,
    commitURL: repoCommitURL ?? before?.commitURL ?? null,
    oid,
    revision,
    imported: imported ? revision : (latest?.imported ?? null),
    address,
    timestamp: times.at(-1) ?? null,
    updatedAt: clock().toISOString(),
  };
  await trx
    .updateTable('spaces')
    .set({ git: writeJson(git) })
    .where('id', '=', space.id)
    .execute();
  await recordSyncedBranch(trx, space, synced, git);
}

/** Cause of a run with an obsolete transfer. */
export const SUPERSEDED: RunFailure = {
  reason: 'superseded',
  message:
    'A later import or export of the space was completed first, or the space was deleted. Set `force` to run it anyway.',
};

/** Returns why an import is obsolete. */
export async function obsoleteReason(queries: Queries, payload: GitTransfer): Promise<RunFailure> {
  if (!(await transferSpace(queries, payload))) {
    return SUPERSEDED;
  }
  const message = 'The space was locked before the import. Unlock it and import again.';
  return (await isPermitted(queries, payload, 'triggerGitSync'))
    ? { reason: 'space_locked', message }
    : NO_LONGER_PERMITTED;
}

/**
 * Runs an attempt of a transfer and records it in its run. An error is also reported in the log and, if a retry cannot
 * succeed, as the failure of the job.
 *
 * @param work returns the cause if the transfer is obsolete; otherwise it completes the run
 */
async function runTransfer(
  services: Services,
  job: Job<GitTransfer>,
  { type, signal }: { type: 'import' | 'export'; signal: AbortSignal },
  work: () => Promise<RunFailure | undefined>,
): Promise<void> {
  const { log, database } = services;
  const { space } = job.payload;
  const run = runOfJob(job);
  await startRun(database.query, services, run);
  try {
    const obsolete = await work();
    if (obsolete) {
      log.info({ space, reason: obsolete.reason }, `Git ${type} skipped: ${obsolete.message}`);
    }
    // Has no effect on a completed run. An export is not recorded if its space was deleted meanwhile.
    await failTransferRun(services, job, obsolete ?? SUPERSEDED);
  } catch (error) {
    log.warn({ space, err: error }, `Git ${type} failed`);
    const failure = runFailureOf(error, signal);
    if (failure) {
      await recordFailure(database.query, run, failure).catch((err: unknown) =>
        log.warn({ space, err }, `could not record the failure of a Git ${type}`),
      );
    }
    throw isPermanent(error) ? new JobFailure(error.message) : error;
  }
}

/**
 * Registers the worker of Git imports or exports.
 *
 * @param transfer returns why the transfer is obsolete; undefined if it was completed
 */
export function registerTransfer<Payload extends GitTransfer>(
  services: Services,
  kind: JobKind<Payload>,
  type: 'import' | 'export',
  transfer: (services: Services, job: Job<Payload>, signal: AbortSignal) => Promise<RunFailure | undefined>,
): void {
  services.queue.register(
    kind,
    (job, signal) => runTransfer(services, job, { type, signal }, () => transfer(services, job, signal)),
    (job, cause) => failTransferRun(services, job, runFailureOfProcess(cause)),
  );
}
