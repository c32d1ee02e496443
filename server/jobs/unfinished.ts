import type { Queries } from '../database/database.ts';
import { MAX_COUNTED_JOBS } from './depths.ts';

/** Counts the jobs of an organization of some kinds that wait or run. */
export async function countUnfinished(
  queries: Queries,
  organization: string,
  kinds: readonly string[],
): Promise<number> {
  const { count } = await unfinishedJobs(queries, kinds)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization', '=', organization)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Counts the jobs of some kinds that wait or run, of each organization with at least `least` of them, or with a quota of its
 * own.
 */
export const unfinishedByOrganization = (
  queries: Queries,
  kinds: readonly string[],
  least: number,
): Promise<{ organization: string; used: number }[]> =>
  unfinishedJobs(queries, kinds)
    .select(({ fn }) => ['organization', fn.countAll<number>().as('used')])
    .groupBy('organization')
    .having((jobs) =>
      jobs.or([
        jobs(jobs.fn.countAll<number>(), '>=', least),
        jobs(
          'organization',
          'in',
          queries.selectFrom('quotas').select('organization').where('quota', '=', 'jobs'),
        ),
      ]),
    )
    .limit(MAX_COUNTED_JOBS)
    .execute();

const unfinishedJobs = (queries: Queries, kinds: readonly string[]) =>
  queries.selectFrom('jobs').where('state', 'in', ['queued', 'running']).where('kind', 'in', kinds);
