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

/** The main content of a space as a transfer finds it. */
export interface TransferSpace extends ContentBranch {
  editMode: 'live' | 'locked';
  /** What it was last in step with. */
  git: SpaceGit | undefined;
}

/**
 * The space of a transfer that still makes sense: it is there, and no later one was done. A forced one is done all
 * the same.
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
  if (!row) return undefined;
  const git = readJson(row.git) ?? undefined;
  const isLate = !force && git?.timestamp != null && timestamp !== undefined && timestamp < git.timestamp;
  return isLate ? undefined : { ...mainBranch(row), editMode: row.editMode, git };
}

/** A branch, as git reaches it; never holds credentials. */
export interface Branch {
  address: string;
  ref: string;
}

/** The branch that a transfer names. */
export function branchOf({ ref }: GitTransfer, url: string): Branch {
  return { address: splitCredentials(url).url.href, ref };
}

/** Whether a space was last in step with a branch. */
export function isBranchOf(git: SpaceGit | undefined, { address, ref }: Branch): boolean {
  return git?.address === address && git.ref === ref;
}

/** The revision that a job makes: the same at each try, so that the next one knows what the last one did. */
export function revisionOf(job: { id: string }): string {
  return job.id.replace(/^[^_]*/, 'rev');
}

/** What a job made when it was tried before. */
export function findMade(
  queries: Queries,
  job: { id: string },
  space: string,
): Promise<RevisionRow | undefined> {
  return findRevision(queries, space, revisionOf(job));
}

/** What a revision tells of its commit. */
export function revisionGit(
  { ref, repoCommitURL }: GitTransfer,
  { oid, message }: GitCommit,
  createdByService: boolean,
): RevisionGit {
  const url = repoCommitURL && `${repoCommitURL.replace(/\/+$/, '')}/${oid}`;
  return { oid, message, createdByService, ref, ...(url && { url }) };
}

/** Remembers what a space is in step with. */
export async function rememberStep(
  trx: Transaction,
  { clock }: Services,
  payload: GitTransfer,
  step: Branch & { oid: string; revision: string; before: SpaceGit | undefined },
): Promise<void> {
  const { space, gitInfo, repoProjectDirectory, repoTreeURL, repoCommitURL, timestamp, force } = payload;
  const { address, ref, oid, revision } = step;
  const before = isBranchOf(step.before, step) ? step.before : undefined;
  // A forced one may be older than the last: what comes in between stays too late.
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

/** Does the work of a transfer, and says in the log and as the job's failure what kept it from being done. */
export async function transferring(
  { log }: Services,
  { space }: GitTransfer,
  what: 'import' | 'export',
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ space, err: error }, `a Git ${what} failed; the content of the space is as it was`);
    // What only the caller can mend is not tried again.
    if (error instanceof OutgoingError && !error.transient && error.code !== 'aborted')
      throw new JobFailure(error.message);
    throw error;
  }
}
