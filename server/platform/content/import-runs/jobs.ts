import { type CommitPlan, commitTo } from '../../../content/branch.ts';
import { addTo, joinAdditions } from '../../../content/convert/plan.ts';
import { DEFAULT_LIMITS } from '../../../content/convert/types.ts';
import { imageDimensions } from '../../../content/repository/read/assets.ts';
import { PendingFiles } from '../../../content/store/pending-files.ts';
import type { Queries } from '../../../database/database.ts';
import { callerIdOf } from '../../../identity/caller.ts';
import { type Job, JobFailure } from '../../../jobs/queue.ts';
import { openSecret, sealingKey } from '../../../outgoing/credentials.ts';
import type { Services } from '../../kit/slice.ts';
import { type BranchWithAccess, writableBranchFor } from '../content-branches/queries.ts';
import { commitServices } from '../indexing/indexing.ts';
import { isPermanent, runFailureOf, runFailureOfProcess } from '../runs/failures.ts';
import { type ReadSource, readSource } from '../runs/import-source.ts';
import { completeRun, failRun, recordFailure, runOfJob, startRun } from '../runs/record.ts';
import { type ImportedUrl, type ImportPayload, importJob, requireParent, sealContext } from './rules.ts';

/** Registers the worker of imports. */
export function registerImports(services: Services): void {
  services.queue.register(
    importJob,
    (job, signal) => runImport(services, job, signal),
    (job, cause) => failRun(services.database.query, services, runOfJob(job), runFailureOfProcess(cause)),
  );
}

/** Runs an attempt of an import, and records it in its run. */
async function runImport(services: Services, job: Job<ImportPayload>, signal: AbortSignal): Promise<void> {
  const { database, log } = services;
  const run = runOfJob(job);
  await startRun(database.query, services, run);
  try {
    await importInto(services, job, signal);
  } catch (error) {
    log.warn({ run, err: error }, 'import failed');
    const failure = runFailureOf(error, signal);
    if (failure) {
      await recordFailure(database.query, run, failure);
    }
    throw isPermanent(error) ? new JobFailure(error.message) : error;
  }
}

/** Imports all URLs in one commit, unless the run has ended: it was cancelled, or an earlier attempt completed it. */
async function importInto(services: Services, job: Job<ImportPayload>, signal: AbortSignal): Promise<void> {
  const { database, secretKey } = services;
  const { organization, payload } = job;
  const { space, changeRequest, page, user, sealedUrls } = payload;
  const run = runOfJob(job);
  const path = { spaceId: space, ...(changeRequest !== undefined && { changeRequestId: changeRequest }) };
  await using files = new PendingFiles(services, organization, imageDimensions);
  const find = async (queries: Queries): Promise<BranchWithAccess | undefined> =>
    (await isOpen(queries, run))
      ? await writableBranchFor(queries, callerIdOf(user), path, 'edit', files)
      : undefined;
  // Only this service wrote them.
  const urls = JSON.parse(openSecret(sealedUrls, sealingKey(secretKey), sealContext(space))) as ImportedUrl[];
  const limits = { ...DEFAULT_LIMITS, bytes: Math.floor(DEFAULT_LIMITS.bytes / urls.length) };
  const sources: ReadSource[] = [];
  for (const { field, url, source } of urls) {
    if (!(await find(database.query))) {
      return;
    }
    const pages = limits.pages - sources.reduce((sum, { imported }) => sum + imported, 0);
    const from = { url: new URL(url), source, field };
    sources.push(
      await readSource({ ...services, signal }, from, {
        files,
        limits: { ...limits, pages: Math.max(1, pages) },
      }),
    );
  }
  const addition = joinAdditions(sources);
  const imported = sources.reduce((sum, source) => sum + source.imported, 0);
  const result = {
    counts: { pages: imported - addition.files.size, files: addition.files.size },
    problems: sources.flatMap(({ problems }) => problems),
  };
  await commitTo(
    commitServices(services),
    { find, files },
    async ({ content }): Promise<CommitPlan<BranchWithAccess>> => {
      if (page !== undefined) {
        await requireParent(content, page);
      }
      return {
        revision: { content: await addTo(content, addition, page), type: 'edits', createdBy: user },
        also: (trx, { revision }) => completeRun(trx, services, run, { ...result, revision: revision.id }),
      };
    },
  );
}

/** Returns whether a run has not ended. */
async function isOpen(queries: Queries, run: string): Promise<boolean> {
  const row = await queries.selectFrom('runs').select('endedAt').where('id', '=', run).executeTakeFirst();
  return row?.endedAt === null;
}
