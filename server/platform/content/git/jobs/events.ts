import type { Transaction } from '../../../../database/database.ts';
import type { Job } from '../../../../jobs/queue.ts';
import { raiseEvent } from '../../../kit/events/raise.ts';
import type { Services } from '../../../kit/slice.ts';
import {
  completeRun,
  failRun,
  type RunFailure,
  type RunResult,
  runOfJob,
  updateRun,
} from '../../runs/record.ts';
import type { GitTransfer } from '../rules.ts';

type TransferJob = Job<GitTransfer>;

/** Records the commit that a run transfers, and raises the event of its start in the first attempt that knows it. */
export async function recordCommit(
  services: Services,
  job: TransferJob,
  result: RunResult & { oid: string },
): Promise<void> {
  await services.database.transaction(async (trx) => {
    const run = await findOpenRun(trx, job);
    await updateRun(trx, runOfJob(job), result);
    if (run && run.oid === null) {
      await raiseEvent(trx, services, {
        organization: run.organization,
        type: 'space_gitsync_started',
        fields: { spaceId: run.space, revisionId: run.active, commitId: result.oid },
      });
    }
  });
}

/** Completes the run of a transfer, and raises the event of its end. */
export async function completeTransfer(
  trx: Transaction,
  services: Services,
  job: TransferJob,
  result: RunResult = {},
): Promise<void> {
  await endRun(
    trx,
    services,
    job,
    'success',
    () => completeRun(trx, services, runOfJob(job), result),
    result,
  );
}

/** Fails the run of a transfer, and raises the event of its end. Has no effect on a run that has ended. */
export async function failTransferRun(
  services: Services,
  job: TransferJob,
  failure: RunFailure,
): Promise<void> {
  await services.database.transaction((trx) =>
    endRun(trx, services, job, 'failure', () => failRun(trx, services, runOfJob(job), failure)),
  );
}

/** Ends a run. A run that failed before its commit was known did not start for integrations, so it does not end. */
async function endRun(
  trx: Transaction,
  services: Services,
  job: TransferJob,
  state: 'success' | 'failure',
  end: () => Promise<void>,
  { oid, revision }: RunResult = {},
): Promise<void> {
  const run = await findOpenRun(trx, job);
  await end();
  const commitId = oid ?? run?.oid;
  if (run && commitId != null) {
    const revisionId = revision ?? run.revision ?? run.active;
    await raiseEvent(trx, services, {
      organization: run.organization,
      type: 'space_gitsync_completed',
      fields: { spaceId: run.space, revisionId, commitId, state },
    });
  }
}

/** Finds the run of a job unless it has ended, with the active revision of its space. */
const findOpenRun = (trx: Transaction, job: TransferJob) =>
  trx
    .selectFrom('runs')
    .innerJoin('spaces', 'spaces.id', 'runs.space')
    .select(['runs.organization', 'runs.space', 'runs.oid', 'runs.revision', 'spaces.revision as active'])
    .where('runs.id', '=', runOfJob(job))
    .where('runs.endedAt', 'is', null)
    .executeTakeFirst();
