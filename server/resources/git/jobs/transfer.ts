import { type ContentBranch, mainBranch } from '../../../content/branch.ts';
import { findRevision, type RevisionRow } from '../../../content/store/revisions.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { readJson, writeJson } from '../../../database/json.ts';
import type { RevisionGit } from '../../../database/schema/revisions.ts';
import type { SpaceGit } from '../../../database/schema/spaces.ts';
import { JobFailure } from '../../../jobs/queue.ts';
import { splitCredentials } from '../../../outgoing/credentials.ts';
import { OutgoingError } from '../../../outgoing/errors.ts';
import type { GitCommit } from '../../../outgoing/git.ts';
import type { Services } from '../../kit/slice.ts';
import type { GitTransfer } from '../rules.ts';

/** The main content of a space, for a transfer. */
export interface TransferSpace extends ContentBranch {
  editMode: 'live' | 'locked';
  /** The commit that the space was last synchronized with. */
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

/** A branch of a remote repository. */
export interface RemoteBranch {
  /** URL of the repository, without credentials. */
  address: string;
  ref: string;
}

/** Returns the remote branch of a transfer. */
export function remoteBranchOf({ ref }: GitTransfer, url: string): RemoteBranch {
  return { address: splitCredentials(url).url.href, ref };
}

/** Whether a space was last synchronized with a remote branch. */
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
  { oid, message }: GitCommit,
  createdByService: boolean,
): RevisionGit {
  const url = repoCommitURL && `${repoCommitURL.replace(/\/+$/, '')}/${oid}`;
  return { oid, message, createdByService, ref, ...(url && { url }) };
}

/** Records the commit that a space is synchronized with. */
export async function recordSyncedCommit(
  trx: Transaction,
  { clock }: Services,
  payload: GitTransfer,
  synced: RemoteBranch & { oid: string; revision: string; before: SpaceGit | undefined },
): Promise<void> {
  const { space, gitInfo, repoProjectDirectory, repoTreeURL, repoCommitURL, timestamp, force } = payload;
  const { address, ref, oid, revision } = synced;
  const before = isSyncedWith(synced.before, synced) ? synced.before : undefined;
  // A forced transfer may be older than the last one. Transfers between the two stay obsolete.
  const latest = [timestamp, force ? before?.timestamp : undefined].filter((time) => time != null).sort();
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
    address,
    timestamp: latest.at(-1) ?? null,
    updatedAt: clock().toISOString(),
  };
  await trx
    .updateTable('spaces')
    .set({ git: writeJson(git) })
    .where('id', '=', space)
    .execute();
}

/** Runs a transfer. Reports an error in the log and, if a retry cannot succeed, as the failure of the job. */
export async function runTransfer(
  { log }: Services,
  { space }: GitTransfer,
  type: 'import' | 'export',
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ space, err: error }, `Git ${type} failed; the content of the space is unchanged`);
    // Errors that only the caller can fix are not retried.
    if (error instanceof OutgoingError && !error.transient && error.code !== 'aborted') {
      throw new JobFailure(error.message);
    }
    throw error;
  }
}
