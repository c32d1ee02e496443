import { type CommitPlan, type CommitSource, commitTo } from '../../../../content/branch.ts';
import { countDocuments } from '../../../../content/repository/count.ts';
import { type LoadedFiles, loadRepositoryFiles } from '../../../../content/repository/files.ts';
import { imageDimensions } from '../../../../content/repository/read/assets.ts';
import type { DateOfFile } from '../../../../content/repository/read/records.ts';
import { projectFolder } from '../../../../content/repository/read/repository.ts';
import type { ContentProblem, ImportedContent } from '../../../../content/repository/types.ts';
import { openContent } from '../../../../content/store/content.ts';
import { storeFiles } from '../../../../content/store/files.ts';
import { findRevision } from '../../../../content/store/revisions.ts';
import { jobAddressFinder } from '../../../../content/threads/addresses.ts';
import { type PreparedImport, prepareImport } from '../../../../content/transfer/import.ts';
import { missingFiles } from '../../../../content/transfer/import-files.ts';
import { readGitOrigins } from '../../../../content/transfer/origins.ts';
import { Readings, readRepositoryWith } from '../../../../content/transfer/readings.ts';
import type { Queries, Transaction } from '../../../../database/database.ts';
import { readJson } from '../../../../database/json.ts';
import type { Job } from '../../../../jobs/queue.ts';
import { openSecret, sealingKey } from '../../../../outgoing/credentials.ts';
import { cloneRepository, type GitCommit, type GitRepository } from '../../../../outgoing/git/git.ts';
import { sweepRejected } from '../../../kit/jobs/content-sweep.ts';
import type { Services } from '../../../kit/slice.ts';
import { commitServices, updateSearchIndex } from '../../indexing/indexing.ts';
import { type RunFailure, runOfJob, updateRun } from '../../runs/record.ts';
import { type GitImportPayload, gitImport, sealContext } from '../rules.ts';
import { completeTransfer, recordCommit } from './events.ts';
import { readFileDates } from './file-dates.ts';
import { findBase, isImported, mergeEdits, storeEdits } from './import-edits.ts';
import { findSyncedBranch, type RemoteBranch } from './synced-branches.ts';
import {
  findJobRevision,
  isContained,
  isPermitted,
  isSyncedWith,
  obsoleteReason,
  recordSyncedCommit,
  registerTransfer,
  remoteBranchOf,
  revisionGit,
  revisionOf,
  type TransferSpace,
  transferSpace,
} from './transfer.ts';

/** Progress of an import after its steps, in percent. */
const PROGRESS = { fetched: 20, read: 40, filesStored: 60, committed: 90 };

/** Registers the worker of Git imports. */
export const registerGitImport = (services: Services): void =>
  registerTransfer(services, gitImport, 'import', runImport);

/**
 * Clones and reads the repository, and commits its content as a revision, which becomes the active one. Every step up
 * to the transaction that stores the revision can be repeated after a crash; afterwards the revision marks it as done,
 * and only the search index is updated.
 *
 * @returns why the import is obsolete; undefined if it was completed
 */
async function runImport(
  services: Services,
  job: Job<GitImportPayload>,
  signal: AbortSignal,
): Promise<RunFailure | undefined> {
  const { database, outgoing, log, secretKey } = services;
  const { payload } = job;
  const { space: id } = payload;
  if (await findJobRevision(database.query, job, id)) {
    await finish(services, job);
    return undefined;
  }
  const space = await importable(database.query, payload);
  if (!space) {
    return await obsoleteReason(database.query, payload);
  }
  const url = openSecret(payload.sealedURL, sealingKey(secretKey), sealContext(id));
  const remote = remoteBranchOf(payload, url);
  const cache = { folder: outgoing.copies, key: `${id} ${remote.address} ${remote.ref}` };
  await using repository = await cloneRepository({ url, ref: payload.ref, ...outgoing, cache, signal });
  const { commit } = repository;
  await recordCommit(services, job, { progress: PROGRESS.fetched, oid: commit.oid });
  const last = await findSyncedBranch(database.query, id, remote);
  if (last && isContained(last, space.git) && isImported(last, payload, commit)) {
    const synced = { ...remote, oid: commit.oid, revision: last.revision, imported: false };
    await cacheCopy(services, repository);
    await finish(services, job, (trx, branch) => recordSyncedCommit(trx, services, payload, branch, synced));
    log.info({ space: id, oid: commit.oid }, 'Git import found no changes');
    return undefined;
  }
  const dateOf = await readFileDates(services, repository, last);
  const problems = await readAndCommit(services, { job, commit, repository, remote, dateOf });
  if (!problems) {
    return await obsoleteReason(database.query, payload);
  }
  // The run is completed once search has the pages too.
  await finish(services, job);
  for (const problem of problems) {
    log.warn({ space: id, ...problem }, 'problem in an imported repository');
  }
  log.info(
    { space: id, oid: commit.oid, revision: revisionOf(job) },
    payload.standalone ? 'Git import completed as a standalone revision' : 'Git import completed',
  );
  return undefined;
}

/**
 * Reads the repository and commits its content. The files read are released before the content is indexed.
 *
 * @returns the problems of the repository; undefined if the import is obsolete
 */
async function readAndCommit(
  services: Services,
  read: Omit<RepositoryImport, 'imported' | 'loaded'>,
): Promise<readonly ContentProblem[] | undefined> {
  const { job, repository } = read;
  const { payload } = job;
  const directory = projectFolder(payload.repoProjectDirectory ?? '');
  const readings = await Readings.open(repository.folder);
  const isKnown = (oid: string) => readings.has(oid);
  using loaded = await loadRepositoryFiles(repository, services.outgoing.folder, directory, isKnown);
  const imported = await readRepositoryWith(readings, loaded, directory, { treeURL: payload.repoTreeURL });
  await updateRun(services.database.query, runOfJob(job), {
    progress: PROGRESS.read,
    counts: { pages: countDocuments(imported.pages), files: imported.files.length },
    problems: imported.problems,
  });
  const result = await commitTo(
    // Enqueues the indexing, as each commit. Usually, it finds no changes: this job indexes before its run is completed.
    commitServices(services),
    // Other writers of the space wait for an import only after it conflicted with one of them.
    { find: (queries: Queries) => importable(queries, payload), optimistic: true },
    (source) => planRevision(services, { ...read, imported, loaded }, source),
  ).catch(async (error: unknown) => {
    await sweepRejected(services, job.organization, error);
    throw error;
  });
  if (result?.plan) {
    await cacheCopy(services, repository, readings.save(imported, result.plan.bodies));
  }
  return result?.plan?.problems;
}

/**
 * Caches the copy of a repository for the next import, which only takes longer without it.
 *
 * @param saved resolves when the files to be cached with the copy are complete
 */
async function cacheCopy(
  { log }: Services,
  { cache }: GitRepository,
  saved: Promise<void> = Promise.resolve(),
): Promise<void> {
  await saved
    .then(cache)
    .catch((err: unknown) => log.warn({ err }, 'could not cache the copy of a repository'));
}

/**
 * Returns the space of an import; undefined if the import is obsolete, the space has been locked, or the caller may no
 * longer request it.
 */
async function importable(queries: Queries, payload: GitImportPayload): Promise<TransferSpace | undefined> {
  const space = await transferSpace(queries, payload);
  const isOpen = space && (payload.standalone || space.editMode === 'live');
  return isOpen && (await isPermitted(queries, payload, 'triggerGitSync')) ? space : undefined;
}

/** A repository that has been read. */
interface RepositoryImport {
  job: Job<GitImportPayload>;
  imported: ImportedContent;
  loaded: LoadedFiles;
  commit: GitCommit;
  repository: GitRepository;
  remote: RemoteBranch;
  dateOf: DateOfFile;
}

/**
 * Plans the revision from the current content of the space, and stores its files and texts ahead of the commit.
 *
 * @returns the plan, the problems of the repository, and the hashes of its texts
 */
async function planRevision(
  services: Services,
  { job, imported, loaded, commit, repository, remote, dateOf }: RepositoryImport,
  source: CommitSource<TransferSpace>,
): Promise<CommitPlan<TransferSpace> & Pick<PreparedImport, 'problems' | 'bodies'>> {
  const { database, createId } = services;
  const { payload } = job;
  const { branch, revision: previous, now } = source;
  const { organization } = previous;
  const synced = await findSyncedBranch(database.query, payload.space, remote);
  const base = await findBase(database.query, payload, source, synced);
  const oids = missingFiles(imported.files, await base.content.listFiles());
  const files = await storeFiles(services, organization, repository.streamBlobs(oids), imageDimensions);
  await updateRun(database.query, runOfJob(job), { progress: PROGRESS.filesStored });
  const findAddresses = jobAddressFinder(services, organization);
  const last = synced && (await findRevision(database.query, payload.space, synced.revision));
  const isLatest = isSyncedWith(branch.git, remote);
  // The content of a commit of the branch has its origins.
  const hasOtherOrigins = !isLatest && base.revision.id !== last?.id;
  const prepared = await prepareImport(database, {
    previous: base.revision,
    ...(last &&
      hasOtherOrigins && { origins: await readGitOrigins(await openContent(database.query, last)) }),
    imported,
    files,
    createId,
    now,
    findAddresses,
    loadTexts: loaded.load,
    dateOf,
  });
  // Only jobs load the trigrams of languages.
  const { guessLanguage } = await import('../../../../content/language/guess.ts');
  const language = imported.language ?? guessLanguage(imported.samples);
  const { planned, blobs, sweeps, problems, bodies } = prepared;
  const merged = base.isEdited
    ? await mergeEdits(services, { base, source, prepared, loaded, hasOtherOrigins: !isLatest })
    : undefined;
  const commitRevision = merged ? createId('rev') : revisionOf(job);
  const lastGit = last && readJson(last.git);
  const git = revisionGit(payload, commit, lastGit?.oid === commit.oid && lastGit.createdByService);
  return {
    problems,
    bodies,
    to: payload.standalone ? 'none' : 'branch',
    revision: {
      id: revisionOf(job),
      type: 'edits',
      git,
      createdBy: payload.user,
      ...(merged && { parents: [previous.id, commitRevision] }),
      content: merged?.planned ?? planned,
      blobs,
      sweeps,
    },
    // The Git information changes together with the content.
    also: async (trx, { branch, revision }) => {
      const { oid } = commit;
      const { space } = branch;
      const stored = { space, revision, previous, git, user: payload.user, commitRevision, base, planned };
      const edits = merged && (await storeEdits(trx, services, { ...stored, merged }));
      await updateRun(trx, runOfJob(job), {
        progress: PROGRESS.committed,
        ...edits,
        problems: [...(edits?.problems ?? []), ...problems],
        oid,
        revision: revision.id,
      });
      if (!payload.standalone) {
        await recordSyncedCommit(trx, services, payload, branch, {
          ...remote,
          oid,
          revision: commitRevision,
          imported: true,
        });
        await trx
          .updateTable('spaces')
          .set({ contentLanguage: language ?? null })
          .where('id', '=', payload.space)
          .execute();
      }
    },
  };
}

/**
 * Updates the search index and completes the run.
 *
 * @param also changes the space in the same transaction
 */
async function finish(
  services: Services,
  job: Job<GitImportPayload>,
  also?: (trx: Transaction, space: TransferSpace) => Promise<void>,
): Promise<void> {
  const { payload } = job;
  if (!payload.standalone) {
    await updateSearchIndex(services, payload.space);
  }
  await services.database.transaction(async (trx) => {
    const space = await transferSpace(trx, { ...payload, force: true });
    if (space) {
      await also?.(trx, space);
    }
    await completeTransfer(trx, services, job);
  });
}
