import { loadRepositoryFiles } from '../../content/repository/files.ts';
import { imageDimensions, readRepository } from '../../content/repository/repository.ts';
import { openContent } from '../../content/store/content.ts';
import { importContent } from '../../content/store/import.ts';
import { missingFiles, storeFiles } from '../../content/store/import-files.ts';
import { activateRevision, findRevision } from '../../content/store/revisions.ts';
import { indexSpace } from '../../content/store/search-index.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { readJson, writeJson } from '../../database/json.ts';
import type { RevisionGit, SpaceGit } from '../../database/schema.ts';
import { JobFailure } from '../../jobs/queue.ts';
import { openSecret, sealingKey, splitCredentials } from '../../outgoing/credentials.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { cloneRepository, type GitCommit } from '../../outgoing/git.ts';
import type { Services } from '../slice.ts';
import { type GitImportPayload, gitImport, sealContext } from './rules.ts';

/** Names the worker of Git imports. */
export function registerGitImport(services: Services): void {
  services.queue.register(gitImport, async ({ payload }, signal) => {
    try {
      await runImport(services, payload, signal);
    } catch (error) {
      services.log.warn(
        { space: payload.space, err: error },
        'a Git import failed; the content of the space is as it was',
      );
      // What only the caller can mend is not tried again.
      if (error instanceof OutgoingError && !error.transient) throw new JobFailure(error.message);
      throw error;
    }
  });
}

/**
 * Clones, reads, and makes a revision of what was read, which becomes the active one. Everything up to the one
 * transaction at the end may be repeated after a crash.
 */
async function runImport(services: Services, payload: GitImportPayload, signal: AbortSignal): Promise<void> {
  const { database, outgoing, log, secretKey } = services;
  const space = await importable(database.query, payload);
  if (!space) return;
  const { organization } = space;
  const url = openSecret(payload.sealedURL, sealingKey(secretKey), sealContext(payload.space));
  await using repository = await cloneRepository({ url, ref: payload.ref, ...outgoing, signal });
  const directory = payload.repoProjectDirectory?.replace(/^\/+|\/+$/g, '') ?? '';
  const imported = readRepository(await loadRepositoryFiles(repository, directory), directory);
  const previous = await findRevision(database.query, payload.space, space.revision);
  const known = previous ? await (await openContent(database.query, previous)).listFiles() : [];
  const files = await storeFiles(
    database,
    organization,
    repository.readBlobs(missingFiles(imported.files, known)),
    imageDimensions,
  );
  const { commit } = repository;
  const problems = await database.transaction((trx) =>
    storeImport(trx, services, { payload, imported, files, commit }),
  );
  // Readers have the pages from here on; the Git information tells when search has them too.
  if (!payload.standalone)
    await database.transaction((trx) => finishImport(trx, services, payload, url, commit));
  for (const problem of problems) log.warn({ space: payload.space, ...problem }, 'a problem in a repository');
  log.info({ space: payload.space, oid: commit.oid }, 'a Git import is done');
}

/** The space of an import that still makes sense: it is there, open, and nothing later was imported. */
async function importable(queries: Queries, { space, timestamp, force, standalone }: GitImportPayload) {
  const row = await queries
    .selectFrom('spaces')
    .select(['organization', 'revision', 'git', 'editMode'])
    .where('id', '=', space)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  const latest = readJson(row?.git ?? null)?.timestamp;
  const late = !force && latest && timestamp !== undefined && timestamp < latest;
  return row && !late && (standalone || row.editMode === 'live') ? row : undefined;
}

async function storeImport(
  trx: Transaction,
  { clock, makeId }: Services,
  {
    payload,
    imported,
    files,
    commit,
  }: {
    payload: GitImportPayload;
    imported: ReturnType<typeof readRepository>;
    files: Awaited<ReturnType<typeof storeFiles>>;
    commit: GitCommit;
  },
) {
  const space = await importable(trx, payload);
  if (!space) return [];
  const { organization } = space;
  const previous = await findRevision(trx, payload.space, space.revision);
  if (!previous) throw new Error(`The space ${payload.space} has lost its revision ${space.revision}.`);
  const now = clock();
  const result = await importContent(
    trx,
    {
      id: makeId('rev'),
      organization,
      space: payload.space,
      parents: [previous.id],
      git: revisionGit(payload, commit),
      createdBy: payload.user,
      now,
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

async function finishImport(
  trx: Transaction,
  { clock }: Services,
  payload: GitImportPayload,
  url: string,
  commit: GitCommit,
): Promise<void> {
  await indexSpace(trx, payload.space);
  await trx
    .updateTable('spaces')
    .set({ git: writeJson(spaceGit(payload, url, commit, clock())) })
    .where('id', '=', payload.space)
    .execute();
}

function revisionGit({ ref, repoCommitURL }: GitImportPayload, { oid, message }: GitCommit): RevisionGit {
  const url = repoCommitURL && `${repoCommitURL.replace(/\/+$/, '')}/${oid}`;
  return { oid, message, createdByService: false, ref, ...(url && { url }) };
}

/** What the space remembers of the repository; the address without its credentials. */
function spaceGit(
  { ref, gitInfo, repoProjectDirectory, repoTreeURL, repoCommitURL, timestamp }: GitImportPayload,
  address: string,
  { oid }: GitCommit,
  now: Date,
): SpaceGit {
  const { url } = splitCredentials(address);
  return {
    url: gitInfo?.url ?? url.href,
    ref,
    repoName: url.pathname.replace(/^\/+|\/+$|\.git\/*$/g, ''),
    installationProvider: gitInfo?.provider ?? null,
    integration: null,
    projectDirectory: repoProjectDirectory ?? null,
    treeURL: repoTreeURL ?? null,
    commitURL: repoCommitURL ?? null,
    oid,
    timestamp: timestamp ?? null,
    updatedAt: now.toISOString(),
  };
}
