import { planContent } from '../../../../content/edit/plan-content.ts';
import { countDocuments } from '../../../../content/repository/count.ts';
import { loadRepositoryFiles } from '../../../../content/repository/files.ts';
import { projectFolder } from '../../../../content/repository/read/repository.ts';
import { type WrittenRepository, writeInSteps } from '../../../../content/repository/write/repository.ts';
import { openContent } from '../../../../content/store/content.ts';
import {
  findRevision,
  type RevisionRow,
  requireRevision,
  storeAhead,
  storeRevision,
} from '../../../../content/store/revisions.ts';
import { exportContent } from '../../../../content/transfer/export.ts';
import { originsOf, pathsOf, readGitOrigins, recordOrigins } from '../../../../content/transfer/origins.ts';
import { writtenChanges } from '../../../../content/transfer/written-changes.ts';
import type { Content } from '../../../../content/tree/content.ts';
import { runYielding } from '../../../../content/tree/yielding.ts';
import { readJson } from '../../../../database/json.ts';
import type { SpaceGit } from '../../../../database/schema/spaces/spaces.ts';
import type { Job } from '../../../../jobs/queue.ts';
import { openSecret, sealingKey } from '../../../../outgoing/credentials.ts';
import { OutgoingError } from '../../../../outgoing/errors.ts';
import type { GitCommit } from '../../../../outgoing/git/git.ts';
import { type GitBranch, openBranch } from '../../../../outgoing/git/git-branch.ts';
import { TextsOnDisk } from '../../../../threads/scratch-file.ts';
import type { Services } from '../../../kit/slice.ts';
import { RunRefusal } from '../../runs/failures.ts';
import { type RunFailure, runOfJob, updateRun } from '../../runs/record.ts';
import { type GitExportPayload, gitExport, sealContext } from '../rules.ts';
import { recordCommit } from './events.ts';
import { finishExport } from './export-finish.ts';
import { findSyncedBranch, type RemoteBranch } from './synced-branches.ts';
import {
  findJobRevision,
  isPermitted,
  isSyncedWith,
  NO_LONGER_PERMITTED,
  registerTransfer,
  remoteBranchOf,
  revisionGit,
  revisionOf,
  SUPERSEDED,
  type TransferSpace,
  transferSpace,
} from './transfer.ts';

/** Author of commits. The email address uses a reserved domain (RFC 2606). */
const AUTHOR = { name: 'Colophon', email: 'colophon@noreply.invalid' };
/** Maximum number of attempts if the branch moves during an export. */
const MAX_ROUNDS = 3;

/** Progress of an export after its steps, in percent. */
const PROGRESS = { read: 30, stored: 70 };

/** Registers the worker of Git exports. */
export const registerGitExport = (services: Services): void =>
  registerTransfer(services, gitExport, 'export', runExport);

/** @returns why the export is obsolete; undefined if it was completed */
async function runExport(
  services: Services,
  job: Job<GitExportPayload>,
  signal: AbortSignal,
): Promise<RunFailure | undefined> {
  const { database, outgoing, secretKey } = services;
  const { payload } = job;
  const url = openSecret(payload.sealedURL, sealingKey(secretKey), sealContext(payload.space));
  for (let round = 1; ; round += 1) {
    const space = await transferSpace(database.query, payload);
    if (!space) {
      return SUPERSEDED;
    }
    if (!(await isPermitted(database.query, payload, 'edit'))) {
      return NO_LONGER_PERMITTED;
    }
    await using branch = await openBranch({ url, ref: payload.ref, ...outgoing, signal });
    try {
      await exportTo(services, job, space, { branch, remote: remoteBranchOf(payload, url) });
      return undefined;
    } catch (error) {
      // The next round checks again whether the branch may be written to.
      if (!(error instanceof OutgoingError && error.code === 'moved') || round === MAX_ROUNDS) {
        throw error;
      }
    }
  }
}

/** The branch that an export writes to. */
interface ExportTarget {
  branch: GitBranch;
  remote: RemoteBranch;
}

/**
 * Commits the content on top of the branch and pushes it. The revision that the space records is stored before the
 * push, invisible to readers, so that a push that succeeded before a crash is recognized by its commit.
 */
async function exportTo(
  services: Services,
  job: Job<GitExportPayload>,
  space: TransferSpace,
  { branch, remote }: ExportTarget,
): Promise<void> {
  const { database, log } = services;
  const { payload } = job;
  const previous = await findJobRevision(database.query, job, payload.space);
  const pushed = previous && readJson(previous.git)?.oid;
  if (previous && pushed !== undefined) {
    if (branch.head?.oid === pushed || (await branch.contains(pushed))) {
      await finishExport(services, job, remote, { oid: pushed, exported: previous });
      return;
    }
    await deleteRevision(services, previous);
  }
  const synced = await findSyncedBranch(database.query, payload.space, remote);
  requireSynced(payload, [synced, space.git], branch.head);

  using texts = new TextsOnDisk(services.outgoing.folder);
  const target = { branch, remote, synced, texts };
  const { revision: base, written, content } = await write(services, job, space, target);
  const { head } = branch;
  const commit = await branch.commit(
    writtenChanges(services, base.organization, written, content, written.modes),
    {
      message: payload.commitMessage,
      author: AUTHOR,
      at: new Date(job.createdAt),
    },
  );
  const oid = commit ?? head?.oid;
  if (oid === undefined) {
    throw new Error('An export to a new branch created no commit.');
  }
  const tree = await branch.readTreeOf(oid, directoryOf(payload));
  const gitOrigins = originsOf(written, new Map(tree.files.map((file) => [file.path, file.oid])));
  const planned = await storeAhead(
    database,
    base.organization,
    await planContent(base.root, await recordOrigins(content, gitOrigins), content.load),
  );
  await recordCommit(services, job, { progress: PROGRESS.stored, oid });
  if (commit === undefined && planned.root === base.root) {
    await finishExport(services, job, remote, { oid, exported: base });
    log.info({ space: payload.space, oid }, 'Git export found no changes');
    return;
  }
  const message = commit === undefined ? (head?.message ?? '') : payload.commitMessage.trimEnd();
  const stored = await database.transaction((trx) =>
    storeRevision(
      trx,
      {
        id: revisionOf(job),
        organization: base.organization,
        space: payload.space,
        type: 'edits',
        parents: [base.id],
        git: revisionGit(payload, { oid, message }, commit !== undefined),
        createdBy: payload.user,
        now: services.clock(),
      },
      planned,
    ),
  );
  try {
    if (commit !== undefined) {
      await branch.push(commit);
    }
  } catch (error) {
    if (isRefusal(error)) {
      await deleteRevision(services, stored);
    }
    throw error;
  }
  await finishExport(services, job, remote, { oid, exported: stored });
  log.info({ space: payload.space, oid }, 'Git export completed');
}

/**
 * Whether a push was rejected permanently. A branch that moved may have been moved by this very commit, pushed by a
 * process that was killed. After a broken connection the outcome is unknown, and the next attempt checks it.
 */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof OutgoingError && !error.transient && error.code !== 'aborted' && error.code !== 'moved'
  );
}

/** @throws RunRefusal if the branch has commits that the space does not have */
function requireSynced(
  { ref, force }: GitExportPayload,
  [synced, latest]: readonly [SpaceGit | undefined, SpaceGit | undefined],
  head: GitCommit | undefined,
): void {
  // The latest commit of another repository may be the same, in a copy of it.
  if (force || head === undefined || head.oid === synced?.oid || head.oid === latest?.oid) {
    return;
  }
  const last =
    synced?.oid == null
      ? 'the space was never synchronized with it'
      : `the space was last synchronized with ${synced.oid.slice(0, 12)}`;
  throw new RunRefusal({
    reason: 'branch_diverged',
    message:
      `The branch ${ref} has commits that the space does not have: it is at ${head.oid.slice(0, 12)}, and ${last}. ` +
      'Import the branch and export again, or export with "force" to write the content of the space on top of it.',
  });
}

async function write(
  { database, outgoing }: Services,
  job: Job<GitExportPayload>,
  { git: latest, revision: active }: TransferSpace,
  { branch, remote, synced, texts }: ExportTarget & { synced: SpaceGit | undefined; texts: TextsOnDisk },
): Promise<{
  revision: RevisionRow;
  content: Content;
  written: WrittenWithModes;
}> {
  const { payload } = job;
  const revision = await requireRevision(database.query, payload.space, active);
  const content = await openContent(database.query, revision);
  const git = synced ?? (latest?.oid === branch.head?.oid ? latest : undefined);
  const last = git && (await findRevision(database.query, payload.space, git.revision));
  const origins = last && (await readGitOrigins(await openContent(database.query, last)));
  const previousPaths = origins && pathsOf(origins);
  const directory = directoryOf(payload);
  using head = await loadRepositoryFiles(branch, outgoing.folder, directory);
  const treeURL = payload.repoTreeURL ?? git?.treeURL ?? undefined;
  using bodies = new TextsOnDisk(outgoing.folder);
  // The records have the origins in the repository of the latest synchronization.
  const isLatest = isSyncedWith(latest, remote);
  const exported = await exportContent(content, bodies, isLatest ? undefined : origins);
  await updateRun(database.query, runOfJob(job), {
    progress: PROGRESS.read,
    counts: { pages: countDocuments(exported.pages), files: exported.files.length },
  });
  const options = { directory, treeURL, texts, ...(previousPaths && { previousPaths }) };
  const written = await runYielding(writeInSteps(exported, head, options));
  const modes = new Map(head.list().map(({ path, mode }) => [path, mode]));
  return { revision, content, written: { ...written, modes } };
}

/** The files to write, and the modes of the existing files. */
type WrittenWithModes = WrittenRepository & { modes: ReadonlyMap<string, string> };

async function deleteRevision({ database }: Services, { id }: RevisionRow): Promise<void> {
  await database.query.deleteFrom('revisions').where('id', '=', id).execute();
}

function directoryOf({ repoProjectDirectory }: GitExportPayload): string {
  return projectFolder(repoProjectDirectory ?? '');
}
