import type { Queries } from '../database/database.ts';

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

/** Counts the jobs of some kinds that wait or run, of each organization with at least `minimum` of them. */
export const unfinishedByOrganization = (queries: Queries, kinds: readonly string[], minimum: number) =>
  unfinishedJobs(queries, kinds)
    .select(({ fn }) => ['organization', fn.countAll<number>().as('count')])
    .groupBy('organization')
    .having(({ fn }) => fn.countAll<number>(), '>=', minimum)
    .execute();

const unfinishedJobs = (queries: Queries, kinds: readonly string[]) =>
  queries.selectFrom('jobs').where('state', 'in', ['queued', 'running']).where('kind', 'in', kinds);
