import type { ExpressionBuilder, Selectable, Updateable } from 'kysely';
import type { Database, Queries, Transaction } from '../database/database.ts';
import { readJson, writeJson } from '../database/json.ts';
import type { JobsTable, Schema } from '../database/schema.ts';
import type { Clock, MakeId } from '../database/seams.ts';
import type { NewJob, RunnableJob } from './kinds.ts';

/** How often a job is tried where it states nothing else. */
export const MAX_ATTEMPTS = 5;
/** How often a job may end its process: the first time among others, then isolated. */
export const MAX_PROCESS_ENDS = 3;
/**
 * How often the process of a job may end from outside, together with the server that watched it. Operators kill
 * servers, which is no fault of the jobs, and an isolated job has little to end a server with; but one that takes
 * the whole machine down has to end some day.
 */
export const MAX_ABANDONED = 100;
/** Characters kept of an error's message. */
export const MAX_JOB_ERROR_CHARACTERS = 2000;

/**
 * Which jobs a process takes. A job is suspected once a process ended while it ran: `unsuspected` ones run beside
 * others, `suspected` ones in a process each. Jobs that are given up belong to the former: nothing of them runs.
 */
export type Lane = 'all' | 'unsuspected' | 'suspected';

/** A job that this process holds the lease of. */
export interface Claimed extends RunnableJob {
  /** Names this claim: a later one of the same job has another. */
  lease: string;
  /** Why the job must not run again; undefined for one that is to run. */
  givenUp: string | undefined;
}

/** What the log says of a job whose process ended. */
export interface EndedJob {
  job: string;
  kind: string;
  organization: string;
  key: string | null;
  /** How often it ended its process. */
  processEnds: number;
}

/**
 * The queue's table. A job that is running is leased: whoever claimed it says again and again that it still works
 * on it, and a job whose lease ran out is anyone's to claim.
 */
export class JobStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #makeId: MakeId;
  /** Length of a lease in milliseconds. */
  readonly #lease: number;
  readonly #lane: Lane;
  readonly #owner: string;

  constructor(options: {
    db: Database;
    clock: Clock;
    makeId: MakeId;
    lease: number;
    lane: Lane;
    owner: string;
  }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#makeId = options.makeId;
    this.#lease = options.lease;
    this.#lane = options.lane;
    this.#owner = options.owner;
  }

  async insert<Payload>(trx: Transaction, id: string, job: NewJob<Payload>): Promise<void> {
    const now = this.#now();
    await trx
      .insertInto('jobs')
      .values({
        id,
        organization: job.organization,
        kind: job.kind.name,
        key: job.key ?? null,
        orderKey: job.orderKey ?? '',
        payload: writeJson<unknown>(job.payload),
        state: 'queued',
        createdAt: now,
        runAt: job.runAt?.toISOString() ?? now,
        leaseUntil: null,
        leaseOwner: null,
        attempts: 0,
        maxAttempts: job.maxAttempts ?? MAX_ATTEMPTS,
        abandoned: 0,
        processEnds: 0,
        lastError: null,
        finishedAt: null,
      })
      .execute();
  }

  /** Whether there is a job of these kinds to claim now. */
  async hasDue(kinds: readonly string[]): Promise<boolean> {
    return (await this.#next(this.#db.query, kinds)) !== undefined;
  }

  /**
   * Takes the next job of these kinds that may run now, or undefined. Choosing and taking are one serializable
   * transaction: two processes never take two jobs of one key.
   */
  async claim(kinds: readonly string[]): Promise<Claimed | undefined> {
    // Most of the time there is nothing to do, which a plain read tells without keeping writers waiting.
    if (!(await this.hasDue(kinds))) return undefined;
    return this.#db.transaction(async (trx) => {
      const row = await this.#next(trx, kinds);
      return row && this.#take(trx, row);
    });
  }

  /** Prolongs the lease; false when it is lost. */
  async renew(job: Claimed): Promise<boolean> {
    return this.#update(job, { leaseUntil: this.#later(this.#lease) });
  }

  /** Records the end of a job; false when the lease was lost, and another process answers for it. */
  async finish(job: Claimed, state: 'done' | 'failed', error: string | null): Promise<boolean> {
    return this.#update(job, { ...ended(state, error), finishedAt: this.#now() });
  }

  /** Lets the job be tried again after `delay` milliseconds. */
  async retry(job: Claimed, delay: number, error: string): Promise<boolean> {
    return this.#update(job, { ...waiting(error), runAt: this.#later(delay) });
  }

  /** Gives the job back as if it had not been tried. */
  async release(job: Claimed): Promise<boolean> {
    return this.#update(job, {
      state: 'queued',
      leaseOwner: null,
      leaseUntil: null,
      attempts: job.attempt - 1,
    });
  }

  /** Gives the job back for later as if it had not been tried. */
  async postpone(job: Claimed, delay: number, cause: string): Promise<boolean> {
    return this.#update(job, {
      ...waiting(cause),
      attempts: job.attempt - 1,
      runAt: this.#later(delay),
    });
  }

  /** Gives a job back that ended its process: from now on it runs isolated, or is given up. */
  async blame(job: Claimed, cause: string): Promise<void> {
    await this.#update(job, (eb) => blamed(eb, cause));
  }

  /** Does the same with all the jobs that were running in a process, as its leases tell. */
  async blameAll(owner: string, cause: string): Promise<EndedJob[]> {
    const rows = await this.#db.query
      .updateTable('jobs')
      .set((eb) => blamed(eb, cause))
      .where('state', '=', 'running')
      .where('leaseOwner', 'like', `${owner}.%`)
      .returning(['id', 'kind', 'organization', 'key', 'processEnds'])
      .execute();
    return rows.map(({ id, ...row }) => ({ job: id, ...row }));
  }

  /** The job's state, or undefined when there is no such job (any more). */
  async state(id: string): Promise<Pick<Selectable<JobsTable>, 'state' | 'lastError'> | undefined> {
    const found = this.#db.query.selectFrom('jobs').select(['state', 'lastError']).where('id', '=', id);
    return found.executeTakeFirst();
  }

  /** Forgets what finished more than `age` milliseconds ago. */
  async prune(age: number): Promise<void> {
    await this.#db.query.deleteFrom('jobs').where('finishedAt', '<', this.#later(-age)).execute();
  }

  async #next(queries: Queries, kinds: readonly string[]): Promise<Selectable<JobsTable> | undefined> {
    if (kinds.length === 0) return undefined;
    const now = this.#now();
    return queries
      .selectFrom('jobs')
      .selectAll()
      .where('kind', 'in', kinds)
      .where((eb) =>
        eb.or([
          eb.and([eb('state', '=', 'queued'), eb('runAt', '<=', now)]),
          eb.and([eb('state', '=', 'running'), eb('leaseUntil', '<=', now)]),
        ]),
      )
      .where((eb) => eb.not(eb.exists(blocking(eb))))
      .where((eb) => inLane(eb, this.#lane))
      .orderBy('runAt')
      .orderBy('sequence')
      .limit(1)
      .executeTakeFirst();
  }

  async #take(trx: Transaction, row: Selectable<JobsTable>): Promise<Claimed> {
    const lease = `${this.#owner}.${this.#makeId('lse')}`;
    // A try that was cut short is tried again, and not one of those that failed.
    const cutShort = row.state === 'running';
    const attempts = cutShort ? row.attempts : row.attempts + 1;
    const abandoned = cutShort ? row.abandoned + 1 : row.abandoned;
    await trx
      .updateTable('jobs')
      .set({ state: 'running', leaseOwner: lease, leaseUntil: this.#later(this.#lease), attempts, abandoned })
      .where('id', '=', row.id)
      .execute();
    return {
      id: row.id,
      lease,
      organization: row.organization,
      kind: row.kind,
      key: row.key,
      payload: readJson(row.payload),
      createdAt: row.createdAt,
      attempt: attempts,
      lastAttempt: attempts >= row.maxAttempts,
      givenUp: givenUp(row),
    };
  }

  /** Changes a job only while this claim of it holds. */
  async #update(job: Claimed, values: NewValues): Promise<boolean> {
    const { numUpdatedRows } = await this.#db.query
      .updateTable('jobs')
      .set(typeof values === 'function' ? values : () => values)
      .where('id', '=', job.id)
      .where('leaseOwner', '=', job.lease)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  #now(): string {
    return this.#clock().toISOString();
  }

  #later(milliseconds: number): string {
    return new Date(this.#clock().getTime() + milliseconds).toISOString();
  }
}

type JobsExpressions = ExpressionBuilder<Schema, 'jobs'>;
type NewValues = Updateable<JobsTable> | ((eb: JobsExpressions) => ReturnType<typeof blamed>);

/** The try is not counted with those that failed: the job may have been an innocent neighbour. */
function blamed(eb: JobsExpressions, cause: string) {
  return {
    ...waiting(cause),
    attempts: eb('attempts', '-', 1),
    processEnds: eb('processEnds', '+', 1),
  };
}

/** Why a job is not run again, as its failure. */
function givenUp(row: Selectable<JobsTable>): string | undefined {
  if (row.processEnds >= MAX_PROCESS_ENDS)
    return `failed after ending its process three times: ${row.lastError}`;
  if (row.state === 'running' && row.abandoned >= MAX_ABANDONED)
    return `failed after its process ended ${row.abandoned + 1} times together with the server`;
  return undefined;
}

function inLane(eb: JobsExpressions, lane: Lane) {
  if (lane === 'all') return eb.lit(true);
  const isGivenUp = eb.or([
    eb('processEnds', '>=', MAX_PROCESS_ENDS),
    eb.and([eb('state', '=', 'running'), eb('abandoned', '>=', MAX_ABANDONED)]),
  ]);
  // What is running and may be claimed has been abandoned just now.
  const isSuspected = eb.or([
    eb('state', '=', 'running'),
    eb('abandoned', '>', 0),
    eb('processEnds', '>', 0),
  ]);
  return lane === 'suspected'
    ? eb.and([isSuspected, eb.not(isGivenUp)])
    : eb.or([eb.not(isSuspected), isGivenUp]);
}

/** Jobs of the same key that are running, or whose turn is before. */
function blocking(eb: JobsExpressions) {
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

function ended(state: 'done' | 'failed', error: string | null) {
  return {
    state,
    lastError: error?.slice(0, MAX_JOB_ERROR_CHARACTERS) ?? null,
    leaseOwner: null,
    leaseUntil: null,
  };
}

function waiting(error: string) {
  return {
    state: 'queued' as const,
    lastError: error.slice(0, MAX_JOB_ERROR_CHARACTERS),
    leaseOwner: null,
    leaseUntil: null,
  };
}
