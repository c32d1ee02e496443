import { loadRepositoryFiles } from '../../content/repository/files.ts';
import { imageDimensions, projectFolder, readRepository } from '../../content/repository/repository.ts';
import { openContent } from '../../content/store/content.ts';
import { importContent } from '../../content/store/import.ts';
import { missingFiles, storeFiles } from '../../content/store/import-files.ts';
import { activateRevision, findRevision, requireRevision } from '../../content/store/revisions.ts';
import { indexSpace } from '../../content/store/search-index.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { readJson } from '../../database/json.ts';
import type { SpaceGit } from '../../database/schema.ts';
import type { Job } from '../../jobs/queue.ts';
import { specificationsOf } from '../../models/openapi-spec/find.ts';
import { openSecret, sealingKey } from '../../outgoing/credentials.ts';
import { cloneRepository, type GitCommit } from '../../outgoing/git.ts';
import type { Services } from '../slice.ts';
import { type GitImportPayload, gitImport, sealContext } from './rules.ts';
import {
  type Branch,
  branchOf,
  findMade,
  isBranchOf,
  rememberStep,
  revisionGit,
  revisionOf,
  type TransferSpace,
  transferring,
  transferSpace,
} from './state.ts';

/** Names the worker of Git imports. */
export function registerGitImport(services: Services): void {
  services.queue.register(gitImport, (job, signal) =>
    transferring(services, job.payload, 'import', () => runImport(services, job, signal)),
  );
}

/**
 * Clones, reads, and makes a revision of what was read, which becomes the active one. Up to the transaction that
 * stores it everything may be repeated after a crash; from then on the revision tells that it was done.
 */
async function runImport(services: Services, job: Job<GitImportPayload>, signal: AbortSignal): Promise<void> {
  const { database, outgoing, log, secretKey } = services;
  const { payload } = job;
  const space = await importable(database.query, payload);
  if (!space) {
    log.info({ space: payload.space }, 'a Git import was left undone: a later one was done, or it cannot be');
    return;
  }
  const url = openSecret(payload.sealedURL, sealingKey(secretKey), sealContext(payload.space));
  const branch = branchOf(payload, url);
  const made = await findMade(database.query, job, payload.space);
  const oid = made && readJson(made.git)?.oid;
  if (made && oid !== undefined) {
    await finish(services, payload, branch, { oid, revision: made.id });
    return;
  }
  await using repository = await cloneRepository({ url, ref: payload.ref, ...outgoing, signal });
  const { commit } = repository;
  if (isInStep(space.git, payload, branch, commit)) {
    await finish(services, payload, branch, {
      oid: commit.oid,
      revision: space.git?.revision ?? space.revision,
    });
    log.info({ space: payload.space, oid: commit.oid }, 'a Git import found nothing new');
    return;
  }
  const directory = projectFolder(payload.repoProjectDirectory ?? '');
  const imported = readRepository(await loadRepositoryFiles(repository, directory), directory, {
    treeURL: payload.repoTreeURL,
  });
  const previous = await findRevision(database.query, payload.space, space.revision);
  const known = previous ? await (await openContent(database.query, previous)).listFiles() : [];
  const files = await storeFiles(
    services,
    space.organization,
    repository.streamBlobs(missingFiles(imported.files, known)),
    imageDimensions,
  );
  const problems = await database.transaction((trx) =>
    storeImport(trx, services, { job, imported, files, commit }),
  );
  if (!problems) return;
  // Readers have the pages from here on; the Git information tells when search has them too.
  await finish(services, payload, branch, { oid: commit.oid, revision: revisionOf(job) });
  for (const problem of problems) log.warn({ space: payload.space, ...problem }, 'a problem in a repository');
  log.info(
    { space: payload.space, oid: commit.oid, revision: revisionOf(job) },
    payload.standalone ? 'a Git import is done, as a revision alone' : 'a Git import is done',
  );
}

/** The space of an import that still makes sense; into a locked one nothing is imported any more. */
async function importable(queries: Queries, payload: GitImportPayload): Promise<TransferSpace | undefined> {
  const space = await transferSpace(queries, payload);
  return space && (payload.standalone || space.editMode === 'live') ? space : undefined;
}

/** Whether the space has had just this commit, read in the same way: what was edited since is newer. */
function isInStep(
  git: SpaceGit | undefined,
  { force, standalone, repoProjectDirectory, repoTreeURL }: GitImportPayload,
  branch: Branch,
  { oid }: GitCommit,
): boolean {
  if (force || standalone || !git || git.oid !== oid || !isBranchOf(git, branch)) return false;
  const isSameFolder =
    projectFolder(git.projectDirectory ?? '') === projectFolder(repoProjectDirectory ?? '');
  return isSameFolder && (repoTreeURL === undefined || repoTreeURL === git.treeURL);
}

/** @returns undefined when the import no longer makes sense, else what is wrong in the repository */
async function storeImport(
  trx: Transaction,
  { clock, makeId }: Services,
  {
    job,
    imported,
    files,
    commit,
  }: {
    job: Job<GitImportPayload>;
    imported: ReturnType<typeof readRepository>;
    files: Awaited<ReturnType<typeof storeFiles>>;
    commit: GitCommit;
  },
) {
  const { payload } = job;
  const space = await importable(trx, payload);
  if (!space) return undefined;
  const { organization, git } = space;
  const previous = await requireRevision(trx, payload.space, space.revision);
  const inStep =
    git?.revision === undefined ? undefined : await findRevision(trx, payload.space, git.revision);
  const last = inStep && readJson(inStep.git);
  const result = await importContent(
    trx,
    {
      id: revisionOf(job),
      organization,
      space: payload.space,
      parents: [previous.id],
      git: revisionGit(payload, commit, last?.oid === commit.oid && last.createdByService),
      createdBy: payload.user,
      now: clock(),
    },
    { previous, imported, files, makeId },
  );
  if (
    !payload.standalone &&
    !(await activateRevision(trx, { revision: result.revision, expected: previous.id }))
  )
    throw new Error(`The space ${payload.space} changed within the transaction that imported into it.`);
  return result.problems;
}

async function finish(
  services: Services,
  payload: GitImportPayload,
  branch: Branch,
  step: { oid: string; revision: string },
): Promise<void> {
  if (payload.standalone) return;
  await services.database.transaction(async (trx) => {
    await indexSpace(trx, payload.space, (organization) => specificationsOf(trx, organization));
    const space = await transferSpace(trx, { ...payload, force: true });
    if (space) await rememberStep(trx, services, payload, { ...branch, ...step, before: space.git });
  });
}
