import { type CommitPlan, type CommitSource, commitTo } from '../../../content/commit.ts';
import { loadRepositoryFiles } from '../../../content/repository/files.ts';
import { imageDimensions } from '../../../content/repository/read/assets.ts';
import { projectFolder, readInSteps } from '../../../content/repository/read/repository.ts';
import type { ContentProblem, ImportedContent } from '../../../content/repository/types.ts';
import { storeFiles } from '../../../content/store/files.ts';
import { findRevision } from '../../../content/store/revisions.ts';
import { addressFinder } from '../../../content/threads/addresses.ts';
import { prepareImport } from '../../../content/transfer/import.ts';
import { missingFiles } from '../../../content/transfer/import-files.ts';
import { runYielding } from '../../../content/tree/yielding.ts';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { SpaceGit } from '../../../database/schema/spaces.ts';
import type { Job } from '../../../jobs/queue.ts';
import { openSecret, sealingKey } from '../../../outgoing/credentials.ts';
import { cloneRepository, type GitCommit, type GitRepository } from '../../../outgoing/git.ts';
import { commitServices, updateSearchIndex } from '../../kit/indexing.ts';
import type { Services } from '../../kit/slice.ts';
import { type GitImportPayload, gitImport, sealContext } from '../rules.ts';
import {
  findJobRevision,
  isSyncedWith,
  type RemoteBranch,
  recordSyncedCommit,
  remoteBranchOf,
  revisionGit,
  revisionOf,
  runTransfer,
  type TransferSpace,
  transferSpace,
} from './transfer.ts';

/** Registers the worker of Git imports. */
export function registerGitImport(services: Services): void {
  services.queue.register(gitImport, (job, signal) =>
    runTransfer(services, job.payload, 'import', () => runImport(services, job, signal)),
  );
}

/**
 * Clones and reads the repository, and commits its content as a revision, which becomes the active one. Every step up
 * to the transaction that stores the revision can be repeated after a crash; afterwards the revision marks it as done.
 */
async function runImport(services: Services, job: Job<GitImportPayload>, signal: AbortSignal): Promise<void> {
  const { database, outgoing, log, secretKey } = services;
  const { payload } = job;
  const space = await importable(database.query, payload);
  if (!space) {
    log.info(
      { space: payload.space },
      'Git import skipped: a later transfer was completed, or the space is deleted or locked',
    );
    return;
  }
  const url = openSecret(payload.sealedURL, sealingKey(secretKey), sealContext(payload.space));
  const remote = remoteBranchOf(payload, url);
  const previous = await findJobRevision(database.query, job, payload.space);
  const oid = previous && readJson(previous.git)?.oid;
  if (previous && oid !== undefined) {
    await finish(services, payload, remote, { oid, revision: previous.id });
    return;
  }
  await using repository = await cloneRepository({ url, ref: payload.ref, ...outgoing, signal });
  const { commit } = repository;
  if (isImported(space.git, payload, remote, commit)) {
    await finish(services, payload, remote, {
      oid: commit.oid,
      revision: space.git?.revision ?? space.revision,
    });
    log.info({ space: payload.space, oid: commit.oid }, 'Git import found no changes');
    return;
  }
  const problems = await readAndCommit(services, { job, commit, repository });
  if (!problems) {
    return;
  }
  // Readers see the pages from here on. The Git information is updated once search has them too.
  await finish(services, payload, remote, { oid: commit.oid, revision: revisionOf(job) });
  for (const problem of problems) {
    log.warn({ space: payload.space, ...problem }, 'problem in an imported repository');
  }
  log.info(
    { space: payload.space, oid: commit.oid, revision: revisionOf(job) },
    payload.standalone ? 'Git import completed as a standalone revision' : 'Git import completed',
  );
}

/**
 * Reads the repository and commits its content. The files read are released before the content is indexed.
 *
 * @returns the problems of the repository; undefined if the import is obsolete
 */
async function readAndCommit(
  services: Services,
  { job, commit, repository }: Omit<RepositoryImport, 'imported'>,
): Promise<readonly ContentProblem[] | undefined> {
  const { payload } = job;
  const directory = projectFolder(payload.repoProjectDirectory ?? '');
  using loaded = await loadRepositoryFiles(repository, services.outgoing.folder, directory);
  const imported = await runYielding(readInSteps(loaded, directory, { treeURL: payload.repoTreeURL }));
  const result = await commitTo(
    // The commit is recorded after the index is updated, so this job updates it itself.
    { ...commitServices(services), enqueueIndexing: async () => {} },
    // Other writers of the space wait for an import only after it conflicted with one of them.
    { find: (queries: Queries) => importable(queries, payload), optimistic: true },
    (source) => planRevision(services, { job, imported, commit, repository }, source),
  );
  return result?.plan?.problems;
}

/** Returns the space of an import; undefined if the import is obsolete, or the space has been locked. */
async function importable(queries: Queries, payload: GitImportPayload): Promise<TransferSpace | undefined> {
  const space = await transferSpace(queries, payload);
  return space && (payload.standalone || space.editMode === 'live') ? space : undefined;
}

/** Whether the space last imported this very commit with the same options. Edits since then are newer. */
function isImported(
  git: SpaceGit | undefined,
  { force, standalone, repoProjectDirectory, repoTreeURL }: GitImportPayload,
  remote: RemoteBranch,
  { oid }: GitCommit,
): boolean {
  if (force || standalone || !git || git.oid !== oid || !isSyncedWith(git, remote)) {
    return false;
  }
  const isSameFolder =
    projectFolder(git.projectDirectory ?? '') === projectFolder(repoProjectDirectory ?? '');
  return isSameFolder && (repoTreeURL === undefined || repoTreeURL === git.treeURL);
}

/** A repository that has been read. */
interface RepositoryImport {
  job: Job<GitImportPayload>;
  imported: ImportedContent;
  commit: GitCommit;
  repository: GitRepository;
}

/**
 * Plans the revision from the current content of the space, and stores its files and texts ahead of the commit.
 *
 * @returns the plan, and the problems of the repository
 */
async function planRevision(
  services: Services,
  { job: { id, payload }, imported, commit, repository }: RepositoryImport,
  { branch, revision: previous, content, now }: CommitSource<TransferSpace>,
): Promise<CommitPlan<TransferSpace> & { problems: readonly ContentProblem[] }> {
  const { database, makeId } = services;
  const { organization } = previous;
  const oids = missingFiles(imported.files, await content.listFiles());
  const files = await storeFiles(services, organization, repository.streamBlobs(oids), imageDimensions);
  const findAddresses = addressFinder(services, organization);
  const { planned, blobs, sweeps, problems } = await prepareImport(database, {
    previous,
    imported,
    files,
    makeId,
    now,
    findAddresses,
  });
  const syncedId = branch.git?.revision;
  const synced =
    syncedId === undefined ? undefined : await findRevision(database.query, payload.space, syncedId);
  const last = synced && readJson(synced.git);
  const git = revisionGit(payload, commit, last?.oid === commit.oid && last.createdByService);
  return {
    problems,
    to: payload.standalone ? 'none' : 'branch',
    revision: {
      id: revisionOf({ id }),
      type: 'edits',
      git,
      createdBy: payload.user,
      content: planned,
      blobs,
      sweeps,
    },
  };
}

async function finish(
  services: Services,
  payload: GitImportPayload,
  remote: RemoteBranch,
  synced: { oid: string; revision: string },
): Promise<void> {
  if (payload.standalone) {
    return;
  }
  await updateSearchIndex(services, payload.space);
  await services.database.transaction(async (trx) => {
    const space = await transferSpace(trx, { ...payload, force: true });
    if (space) {
      await recordSyncedCommit(trx, services, payload, { ...remote, ...synced, before: space.git });
    }
  });
}
