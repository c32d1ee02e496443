import type { Queries } from '../database/database.ts';

/** Maximum number of queued jobs that are counted. */
export const MAX_COUNTED_JOBS = 10_000;

/** The queued jobs of a kind. */
export interface QueueDepth {
  kind: string;
  count: number;
  /** Time at which the first of them became or becomes due, in ISO 8601. */
  firstDueAt: string;
}

/** Counts the queued jobs by kind: up to {@link MAX_COUNTED_JOBS}, those that are due first. */
export const readQueueDepths = (queries: Queries): Promise<QueueDepth[]> =>
  queries
    .selectFrom((jobs) =>
      jobs
        .selectFrom('jobs')
        .select(['kind', 'runAt'])
        .where('state', '=', 'queued')
        .orderBy('runAt')
        .limit(MAX_COUNTED_JOBS)
        .as('queued'),
    )
    .select(({ fn }) => ['kind', fn.countAll<number>().as('count'), fn.min('runAt').as('firstDueAt')])
    .groupBy('kind')
    .execute();
