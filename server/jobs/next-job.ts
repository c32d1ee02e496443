import type { Selectable } from 'kysely';
import type { Queries } from '../database/database.ts';
import { isOneOf } from '../database/lookups.ts';
import type { JobsTable } from '../database/schema/jobs.ts';
import { type ParametersOf, type Statement, statement } from '../database/statement.ts';
import { blocking, inLane, type Lane } from './claim-conditions.ts';

interface Due {
  /** Names of the kinds. */
  kinds: readonly string[];
  /** Time in ISO 8601. */
  now: string;
}

type FindDue = Statement<Due, Selectable<JobsTable>>;

/** The statements of a lane, compiled once. */
const statements: Readonly<Record<Lane, readonly [abandoned: FindDue, queued: FindDue]>> = {
  all: inLaneOf('all'),
  suspected: inLaneOf('suspected'),
  unsuspected: inLaneOf('unsuspected'),
};

/**
 * Finds the next due job of a lane: a previously claimed job that lost its process, or else the first job of the queue.
 *
 * @param kinds names of the kinds of jobs
 * @param now time in ISO 8601
 */
export async function findNextJob(
  queries: Queries,
  lane: Lane,
  due: Due,
): Promise<Selectable<JobsTable> | undefined> {
  const [abandoned, queued] = statements[lane];
  return (await abandoned.first(queries, due)) ?? (await queued.first(queries, due));
}

/**
 * Finds the time at which the next queued job becomes due, and that at which the first lease of a running one expires; null
 * if there is none.
 */
export const findNextTimes = statement((queries, _: ParametersOf<object>) =>
  queries
    .selectFrom('jobs')
    .select(({ fn }) => fn.min<string | null>('runAt').as('time'))
    .where('state', '=', 'queued')
    .unionAll(
      queries
        .selectFrom('jobs')
        .select(({ fn }) => fn.min<string | null>('leaseUntil').as('time'))
        .where('state', '=', 'running'),
    )
    .compile(),
);

/** Two statements, because the index has an order for each state: a long queue is not sorted for each job. */
function inLaneOf(lane: Lane): [FindDue, FindDue] {
  const inOrder = (queries: Queries, { kinds }: ParametersOf<Due>) =>
    queries
      .selectFrom('jobs')
      .selectAll()
      .where(isOneOf(queries, 'kind', kinds))
      .where((eb) => eb.not(eb.exists(blocking(eb))))
      .where((eb) => inLane(eb, lane))
      .orderBy('runAt')
      .orderBy('sequence')
      .limit(1);
  return [
    statement((queries, due: ParametersOf<Due>) =>
      inOrder(queries, due).where('state', '=', 'running').where('leaseUntil', '<=', due.now).compile(),
    ),
    statement((queries, due: ParametersOf<Due>) =>
      inOrder(queries, due).where('state', '=', 'queued').where('runAt', '<=', due.now).compile(),
    ),
  ];
}
