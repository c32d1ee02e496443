import type { ExpressionBuilder, Selectable, Updateable } from 'kysely';
import type { Database, Queries, Transaction } from '../database/database.ts';
import { readJson, writeJson } from '../database/json.ts';
import type { JobsTable, Schema } from '../database/schema.ts';
import type { Clock, MakeId } from '../database/seams.ts';
import type { Job, NewJob } from './kinds.ts';

const MAX_ATTEMPTS = 5;
/** A process may be killed often while it is at a job; a job that kills its process has to end some day. */
const MAX_ABANDONED = 10;
/** Characters kept of an error's message. */
const ERROR_LENGTH = 2000;

/** A job that this process holds the lease of. */
export interface Claimed extends Job<unknown> {
  kind: string;
  /** Names this claim: a later one of the same job has another. */
  lease: string;
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

  constructor(options: { db: Database; clock: Clock; makeId: MakeId; lease: number }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#makeId = options.makeId;
    this.#lease = options.lease;
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
    while (await this.hasDue(kinds)) {
      const claimed = await this.#db.transaction(async (trx) => {
        const row = await this.#next(trx, kinds);
        if (!row) return 'none';
        if (row.state === 'running' && row.abandoned >= MAX_ABANDONED) {
          await this.#close(
            trx,
            row,
            'failed',
            row.lastError ?? 'The process that ran it ended without a word.',
          );
          return 'gave up';
        }
        return this.#take(trx, row);
      });
      if (claimed === 'none') return undefined;
      if (claimed !== 'gave up') return claimed;
    }
    return undefined;
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
      .orderBy('runAt')
      .orderBy('sequence')
      .limit(1)
      .executeTakeFirst();
  }

  async #take(trx: Transaction, row: Selectable<JobsTable>): Promise<Claimed> {
    const lease = this.#makeId('lse');
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
    };
  }

  async #close(
    trx: Transaction,
    { id }: Selectable<JobsTable>,
    state: 'failed',
    error: string,
  ): Promise<void> {
    const end = { ...ended(state, error), finishedAt: this.#now() };
    await trx.updateTable('jobs').set(end).where('id', '=', id).execute();
  }

  /** Changes a job only while this claim of it holds. */
  async #update(job: Claimed, values: Updateable<JobsTable>): Promise<boolean> {
    const { numUpdatedRows } = await this.#db.query
      .updateTable('jobs')
      .set(values)
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

/** Jobs of the same key that are running, or whose turn is before. */
function blocking(eb: ExpressionBuilder<Schema, 'jobs'>) {
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
  return { state, lastError: error?.slice(0, ERROR_LENGTH) ?? null, leaseOwner: null, leaseUntil: null };
}

function waiting(error: string) {
  return {
    state: 'queued' as const,
    lastError: error.slice(0, ERROR_LENGTH),
    leaseOwner: null,
    leaseUntil: null,
  };
}
