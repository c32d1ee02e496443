import type { Check } from '../../../database/checks/findings.ts';
import type { Queries } from '../../../database/database.ts';
import { JOB_KINDS } from '../../kit/job-kinds.ts';
import { runOfJob } from '../runs/record.ts';

/** Checks that every unfinished job can be run, and that every unfinished run has a job. */
export const checkJobs: Check = {
  name: 'jobs',
  async run({ database, now, repair }, findings) {
    const { query } = database;
    // A run is created with its job, and ends before it.
    const runs = await unfinishedRuns(query);
    const unfinished = await query
      .selectFrom('jobs')
      .select(['id', 'kind', 'organization'])
      .where('state', 'in', ['queued', 'running'])
      .execute();
    const before = new Set(runs.map(({ id }) => id));
    const running = new Set(unfinished.map(runOfJob));
    const stillUnfinished = await unfinishedRuns(query);
    const abandoned = stillUnfinished.filter(({ id }) => before.has(id) && !running.has(id));
    findings.examined = unfinished.length + runs.length;
    const unknown = unfinished.filter(({ kind }) => !JOB_KINDS.some((known) => known === kind));
    for (const { id, kind, organization } of unknown) {
      findings.add(
        `The job ${id} of ${organization} waits for ever: this release has no jobs of the kind ${kind}.`,
      );
    }
    for (const { id, organization, space } of abandoned) {
      findings.add(
        `The run ${id} of the space ${space} (${organization}) never ends: its job does not exist.`,
      );
    }
    if (!repair) {
      return;
    }
    const endedAt = now.toISOString();
    await database.transaction(async (trx) => {
      for (const { id } of unknown) {
        await trx
          .updateTable('jobs')
          .set({
            state: 'failed',
            lastError: 'The kind of the job is unknown.',
            leaseOwner: null,
            leaseUntil: null,
            finishedAt: endedAt,
          })
          .where('id', '=', id)
          .execute();
      }
      for (const { id } of abandoned) {
        await trx
          .updateTable('runs')
          .set({
            status: 'failed',
            failureReason: 'interrupted',
            failureMessage: 'The run was interrupted.',
            endedAt,
          })
          .where('id', '=', id)
          .execute();
      }
    });
    findings.repaired = unknown.length + abandoned.length;
  },
};

/** Lists the unfinished runs that a job performs. */
const unfinishedRuns = (queries: Queries) =>
  queries
    .selectFrom('runs')
    .select(['id', 'organization', 'space'])
    .where('status', 'in', ['pending', 'running'])
    .where('expiresAt', 'is', null)
    .execute();
