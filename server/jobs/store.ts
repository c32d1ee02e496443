import { setImmediate } from 'node:timers/promises';
import type { Selectable, Updateable } from 'kysely';
import type { Database, Queries, Transaction } from '../database/database.ts';
import { readJson, writeJson } from '../database/json.ts';
import type { JobsTable } from '../database/schema/jobs.ts';
import type { Clock, CreateId } from '../database/seams.ts';
import { currentTraceParent } from '../diagnostics/trace-parent.ts';
import { fatalErrorOf, type JobsExpressions, type Lane } from './claim-conditions.ts';
import type { NewJob, RunnableJob } from './kinds.ts';
import { findNextJob, findNextTimes } from './next-job.ts';
import { earliest } from './work-search.ts';

/** Default maximum number of attempts of a job. */
export const MAX_ATTEMPTS = 5;
/** Number of jobs that one statement deletes. */
const PRUNE_BATCH_SIZE = 1000;
/** Maximum length of a stored error message. */
export const MAX_JOB_ERROR_CHARACTERS = 2000;

/** A job that is leased to this process. */
export interface ClaimedJob extends RunnableJob {
  /** Identifies this claim of the job. */
  lease: string;
  /** Reason why the job must not run again; undefined if it is to run. */
  fatalError: string | undefined;
}

/** Log fields of a job that lost its process. */
export interface EndedJob {
  job: string;
  kind: string;
  organization: string;
  key: string | null;
  /** Number of times that it ended its process. */
  processEnds: number;
}

/** Inserts a job, which is not started before a process looks for jobs. */
export async function insertJob<Payload>(
  queries: Queries,
  id: string,
  job: NewJob<Payload>,
  now: string,
): Promise<void> {
  await queries
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
      traceParent: currentTraceParent() ?? null,
    })
    .execute();
}

/**
 * Access to the `jobs` table. A running job is leased: its process renews the lease periodically, and any process can
 * claim a job whose lease has expired.
 */
export class JobStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #createId: CreateId;
  /** Duration of a lease in milliseconds. */
  readonly #lease: number;
  readonly #lane: Lane;
  readonly #owner: string;

  constructor(options: {
    db: Database;
    clock: Clock;
    createId: CreateId;
    lease: number;
    lane: Lane;
    owner: string;
  }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#createId = options.createId;
    this.#lease = options.lease;
    this.#lane = options.lane;
    this.#owner = options.owner;
  }

  async insert<Payload>(trx: Transaction, id: string, job: NewJob<Payload>): Promise<void> {
    await insertJob(trx, id, job, this.#now());
  }

  /** Returns whether a job of these kinds can be claimed now. */
  async hasDue(kinds: readonly string[]): Promise<boolean> {
    return (await this.#next(this.#db.query, kinds)) !== undefined;
  }

  /**
   * Returns the time at which the next job becomes due, or an unfinished one could have lost its process, in milliseconds;
   * infinity if there are none.
   */
  async nextDueAt(): Promise<number> {
    return earliest(await findNextTimes.rows(this.#db.query, {}));
  }

  /**
   * Claims the next due job of these kinds, or returns undefined. Runs in a serializable transaction, so that two
   * processes never claim jobs of the same key.
   */
  async claim(kinds: readonly string[]): Promise<ClaimedJob | undefined> {
    // Usually no job is due, which a read detects without blocking writers.
    if (!(await this.hasDue(kinds))) {
      return undefined;
    }
    return this.#db.transaction(async (trx) => {
      const row = await this.#next(trx, kinds);
      return row && this.#lock(trx, row);
    });
  }

  /** Renews the lease. Returns false if it was lost. */
  async renew(job: ClaimedJob): Promise<boolean> {
    return this.#update(job, { leaseUntil: this.#later(this.#lease) });
  }

  /** Records the result of a job. Returns false if the lease was lost to another process. */
  async finish(job: ClaimedJob, state: 'done' | 'failed', error: string | null): Promise<boolean> {
    return this.#update(job, { ...ended(state, error), finishedAt: this.#now() });
  }

  /** Returns the job to the queue for a retry after `delay` milliseconds. */
  async retry(job: ClaimedJob, delay: number, error: string): Promise<boolean> {
    return this.#update(job, { ...waiting(error), runAt: this.#later(delay) });
  }

  /** Returns the job to the queue without counting the attempt. */
  async release(job: ClaimedJob): Promise<boolean> {
    return this.#update(job, {
      state: 'queued',
      leaseOwner: null,
      leaseUntil: null,
      attempts: job.attempt - 1,
    });
  }

  /** Returns the job to the queue after `delay` milliseconds without counting the attempt. */
  async postpone(job: ClaimedJob, delay: number, cause: string): Promise<boolean> {
    return this.#update(job, {
      ...waiting(cause),
      attempts: job.attempt - 1,
      runAt: this.#later(delay),
    });
  }

  /** Returns a job that ended its process to the queue. It then runs isolated, or fails permanently. */
  async recordCrash(job: ClaimedJob, cause: string): Promise<void> {
    await this.#update(job, (eb) => crashed(eb, cause));
  }

  /** Does the same for all jobs that are leased to a process. */
  async recordProcessEnd(owner: string, cause: string): Promise<EndedJob[]> {
    const rows = await this.#db.query
      .updateTable('jobs')
      .set((eb) => crashed(eb, cause))
      .where('state', '=', 'running')
      .where('leaseOwner', 'like', `${owner}.%`)
      .returning(['id', 'kind', 'organization', 'key', 'processEnds'])
      .execute();
    return rows.map(({ id, ...row }) => ({ job: id, ...row }));
  }

  /** Returns the state of a job; undefined if the job does not exist. */
  async state(id: string): Promise<Pick<Selectable<JobsTable>, 'state' | 'lastError'> | undefined> {
    const query = this.#db.query.selectFrom('jobs').select(['state', 'lastError']).where('id', '=', id);
    return query.executeTakeFirst();
  }

  /** Deletes the jobs that finished more than `age` milliseconds ago. */
  async prune(age: number): Promise<void> {
    const before = this.#later(-age);
    for (let deleted = BigInt(PRUNE_BATCH_SIZE); deleted >= PRUNE_BATCH_SIZE; ) {
      const result = await this.#db.query
        .deleteFrom('jobs')
        .where('id', 'in', (job) =>
          job
            .selectFrom('jobs')
            .select('id')
            .where('finishedAt', '<', before)
            .orderBy('finishedAt')
            .limit(PRUNE_BATCH_SIZE),
        )
        .executeTakeFirstOrThrow();
      deleted = result.numDeletedRows;
      // An embedded database returns synchronously: no other work would run between the statements.
      await setImmediate();
    }
  }

  async #next(queries: Queries, kinds: readonly string[]): Promise<Selectable<JobsTable> | undefined> {
    return kinds.length === 0
      ? undefined
      : await findNextJob(queries, this.#lane, { kinds, now: this.#now() });
  }

  async #lock(trx: Transaction, row: Selectable<JobsTable>): Promise<ClaimedJob> {
    const lease = `${this.#owner}.${this.#createId('lse')}`;
    // An interrupted attempt is repeated and does not count as failed.
    const isInterrupted = row.state === 'running';
    const attempts = isInterrupted ? row.attempts : row.attempts + 1;
    const abandoned = isInterrupted ? row.abandoned + 1 : row.abandoned;
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
      traceParent: row.traceParent,
      attempt: attempts,
      lastAttempt: attempts >= row.maxAttempts,
      fatalError: fatalErrorOf(row),
    };
  }

  /** Updates a job if its lease is still held. */
  async #update(job: ClaimedJob, values: NewValues): Promise<boolean> {
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

type NewValues = Updateable<JobsTable> | ((eb: JobsExpressions) => ReturnType<typeof crashed>);

/** Does not count the attempt: another job may have ended the process. */
function crashed(eb: JobsExpressions, cause: string) {
  return {
    ...waiting(cause),
    attempts: eb('attempts', '-', 1),
    processEnds: eb('processEnds', '+', 1),
  };
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
