import type { ExpressionBuilder, Selectable } from 'kysely';
import type { JobsTable } from '../database/schema/jobs.ts';
import type { Schema } from '../database/schema.ts';

/** Maximum number of times that a job may end its process: once in the shared process, then isolated. */
export const MAX_PROCESS_ENDS = 3;
/**
 * Maximum number of times that the process of a job may end together with the server. Usually an operator killed the
 * server, and the job is not the cause; but a job that crashes the whole machine must not run forever.
 */
export const MAX_ABANDONED = 100;
/**
 * The jobs that a process claims. A job is suspected once a process ended while it was running: `unsuspected` jobs
 * share a process, `suspected` jobs each run in a separate one. Jobs that have failed permanently count as unsuspected,
 * since they no longer run.
 */
export type Lane = 'all' | 'unsuspected' | 'suspected';

/** Builds expressions over the `jobs` table. */
export type JobsExpressions = ExpressionBuilder<Schema, 'jobs'>;

/** Returns the reason why a job must not run again. */
export function fatalErrorOf(row: Selectable<JobsTable>): string | undefined {
  if (row.processEnds >= MAX_PROCESS_ENDS) {
    return `failed after ending its process three times: ${row.lastError}`;
  }
  if (row.state === 'running' && row.abandoned >= MAX_ABANDONED) {
    return `failed after its process ended ${row.abandoned + 1} times together with the server`;
  }
  return undefined;
}

/** Selects the jobs of a lane. */
export function inLane(eb: JobsExpressions, lane: Lane) {
  if (lane === 'all') {
    return eb.lit(true);
  }
  const hasFatalError = eb.or([
    eb('processEnds', '>=', MAX_PROCESS_ENDS),
    eb.and([eb('state', '=', 'running'), eb('abandoned', '>=', MAX_ABANDONED)]),
  ]);
  // A running job that can be claimed was abandoned.
  const isSuspected = eb.or([
    eb('state', '=', 'running'),
    eb('abandoned', '>', 0),
    eb('processEnds', '>', 0),
  ]);
  return lane === 'suspected'
    ? eb.and([isSuspected, eb.not(hasFatalError)])
    : eb.or([eb.not(isSuspected), hasFatalError]);
}

/** Selects jobs of the same key that are running or precede the job. */
export function blocking(eb: JobsExpressions) {
  return eb
    .selectFrom('jobs as other')
    .select('other.id')
    .whereRef('other.key', '=', 'jobs.key')
    .whereRef('other.id', '!=', 'jobs.id')
    .where('other.state', 'in', ['queued', 'running'])
    .where((eb) =>
      eb.or([
        eb('other.state', '=', 'running'),
        eb('other.orderKey', '<', eb.ref('jobs.orderKey')),
        eb.and([
          eb('other.orderKey', '=', eb.ref('jobs.orderKey')),
          eb('other.sequence', '<', eb.ref('jobs.sequence')),
        ]),
      ]),
    );
}
