import { setTimeout as delay } from 'node:timers/promises';
import { afterCommit, type Database, type Transaction } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/errors.ts';
import type { Log } from '../database/log.ts';
import type { Clock, MakeId } from '../database/seams.ts';
import {
  type FailureHook,
  isFinal,
  type JobKind,
  type JobOutcome,
  type JobPerformer,
  JobStopped,
  JobTimeout,
  type NewJob,
  ProcessEnded,
  type Worker,
} from './kinds.ts';
import { type Claimed, type EndedJob, JobStore, type Lane } from './store.ts';
import { Workers } from './workers.ts';

export type { Job, JobKind, JobOutcome, NewJob, Worker } from './kinds.ts';
export { JobFailure, jobKind } from './kinds.ts';

/** Finished jobs are kept this long, for whoever asks how one ended. */
export const JOB_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
/** How often the old ones are looked for. */
const PRUNE_EVERY = 60 * 60 * 1000;
/** The longest pause before a failed job is tried again. */
export const MAX_RETRY_PAUSE_MS = 5 * 60 * 1000;
/** How long a job waits after an outage of the database interrupted it. */
const OUTAGE_PAUSE_MS = 1000;

/** Durable background work in the database of the data it works on. */
export interface Queue {
  /** Who does its jobs. */
  readonly performer: JobPerformer;
  /**
   * Adds a job in the caller's transaction: it is there exactly when the transaction's other writes are.
   *
   * @returns the job's id
   */
  enqueue<Payload>(trx: Transaction, job: NewJob<Payload>): Promise<string>;
  /**
   * Names who does the jobs of a kind. Jobs of kinds that no one does here wait for a process where one does.
   *
   * @param onFailure records in the job's data that it has failed for good
   */
  register<Payload>(kind: JobKind<Payload>, worker: Worker<Payload>, onFailure?: FailureHook<Payload>): void;
  /** Starts working, on up to `concurrency` jobs at a time (2 by default). */
  start(options?: { concurrency?: number }): void;
  /**
   * Takes no more jobs, waits up to `grace` milliseconds (10,000 by default) for those that run, then tells them
   * to stop and gives them back, to be started over by the next process.
   */
  stop(options?: { grace?: number }): Promise<void>;
  /** Looks for work now instead of at the next poll; for tests that have turned the clock. */
  wake(): void;
  /** Suspects all jobs that were running in a process that ended, by the name in its leases, and names them. */
  blameAll(owner: string, cause: string): Promise<EndedJob[]>;
  /** Waits until nothing runs here and nothing is left that may run now. */
  idle(): Promise<void>;
  /**
   * Waits until the job is done or has failed for good.
   *
   * @throws Error when there is no such job
   */
  waitFor(id: string): Promise<JobOutcome>;
}

export interface QueueOptions {
  database: Database;
  clock: Clock;
  makeId: MakeId;
  log: Log;
  /** Milliseconds without a sign of life after which a running job is taken to be abandoned. */
  lease?: number;
  /** Milliseconds between looks for jobs that other processes added or that became due. */
  poll?: number;
  /** Milliseconds to wait before the next try, by the number of the one that failed. */
  backOff?: (attempt: number) => number;
  /** Which jobs are taken; all by default. */
  lane?: Lane;
  /** Who does the jobs; by default the workers that are registered here. */
  performer?: JobPerformer;
  /** Names the process in its leases, for whoever watches it. */
  owner?: string;
  /** Called after each commit that added a job. */
  onEnqueue?: () => void;
  /** Called after a job was recorded that goes on although its time is over: only this process's end ends it. */
  onStuck?: () => void;
}

/**
 * A queue over the table of jobs. Each job runs at least once: a worker that crashed is followed by another try.
 *
 * @example
 * const gitImport = jobKind<{ space: string }>('git-import')
 * queue.register(gitImport, async ({ payload }, signal) => importSpace(payload.space, signal))
 * await database.transaction((trx) =>
 *   queue.enqueue(trx, { kind: gitImport, organization, payload: { space }, key: `git ${space}` }),
 * )
 */
export function createQueue(options: QueueOptions): Queue {
  return new DurableQueue(options);
}

interface Run {
  job: Claimed;
  abort: AbortController;
  done: Promise<void>;
}

class DurableQueue implements Queue {
  readonly #options: Required<Omit<QueueOptions, 'performer' | 'owner' | 'lane'>>;
  readonly #store: JobStore;
  readonly #workers = new Workers();
  readonly performer: JobPerformer;
  readonly #running = new Set<Run>();
  #state: 'new' | 'started' | 'stopped' = 'new';
  #concurrency = 2;
  #timer: NodeJS.Timeout | undefined;
  /** The look for work that goes on, and whether to look again after it. */
  #looking: Promise<void> | undefined;
  #again = false;
  #changed = Promise.withResolvers<void>();
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(options: QueueOptions) {
    const nothing = () => undefined;
    this.#options = {
      lease: 15_000,
      poll: 1000,
      backOff: doubling,
      onEnqueue: nothing,
      onStuck: nothing,
      ...options,
    };
    this.performer = options.performer ?? this.#workers;
    const { database: db, clock, makeId, lease } = this.#options;
    const { lane = 'all', owner = makeId('own') } = options;
    this.#store = new JobStore({ db, clock, makeId, lease, lane, owner });
  }

  async enqueue<Payload>(trx: Transaction, job: NewJob<Payload>): Promise<string> {
    const id = this.#options.makeId('job');
    await this.#store.insert(trx, id, job);
    afterCommit(trx, () => {
      this.wake();
      this.#options.onEnqueue();
    });
    return id;
  }

  register<Payload>(kind: JobKind<Payload>, worker: Worker<Payload>, onFailure?: FailureHook<Payload>): void {
    this.#workers.register(kind, worker, onFailure);
  }

  start({ concurrency = 2 }: { concurrency?: number } = {}): void {
    if (this.#state !== 'new') throw new Error('A queue starts once.');
    this.#state = 'started';
    this.#concurrency = concurrency;
    this.#timer = setInterval(() => this.wake(), this.#options.poll);
    this.wake();
  }

  async stop({ grace = 10_000 }: { grace?: number } = {}): Promise<void> {
    this.#state = 'stopped';
    clearInterval(this.#timer);
    await this.#looking;
    await settled(this.#running, grace);
    for (const run of this.#running) run.abort.abort(new JobStopped('The server is stopping.'));
    // A worker that heeds its signal ends at once; for one that does not, its job is given back all the same.
    await settled(this.#running, Math.min(grace, 1000));
    // One that cannot be given back now is taken up by whoever finds its lease run out.
    await Promise.allSettled([...this.#running].map(({ job }) => this.#store.release(job)));
    this.#notify();
  }

  wake(): void {
    if (this.#state !== 'started') return;
    this.#again = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#notify();
    });
  }

  blameAll(owner: string, cause: string): Promise<EndedJob[]> {
    return this.#store.blameAll(owner, cause);
  }

  async idle(): Promise<void> {
    for (;;) {
      const { promise } = this.#changed;
      const busy = this.#looking !== undefined || this.#running.size > 0;
      if (!busy && !(await this.#store.hasDue(this.#kinds()))) return;
      await promise;
    }
  }

  async waitFor(id: string): Promise<JobOutcome> {
    for (;;) {
      const { promise } = this.#changed;
      const job = await this.#store.state(id);
      if (!job) throw new Error(`There is no job ${id}.`);
      if (job.state === 'done' || job.state === 'failed')
        return { state: job.state, lastError: job.lastError };
      if (this.#state === 'stopped') throw new Error(`The queue stopped before job ${id} was finished.`);
      await promise;
    }
  }

  #kinds(): string[] {
    return this.performer.kinds().map(({ name }) => name);
  }

  /** Takes jobs until there are none, or as many run as may. */
  async #look(): Promise<void> {
    while (this.#again && this.#state === 'started') {
      this.#again = false;
      try {
        await this.#prune();
        while (this.#running.size < this.#concurrency && this.#state === 'started') {
          const job = await this.#store.claim(this.#kinds());
          if (!job) break;
          this.#begin(job);
        }
      } catch (error) {
        // The next poll tries again. An outage of the database is logged by the database, once.
        if (!(error instanceof DatabaseUnavailableError))
          this.#options.log.error({ err: error }, 'could not look for jobs');
      }
    }
  }

  #begin(job: Claimed): void {
    const abort = new AbortController();
    const run: Run = { job, abort, done: Promise.resolve() };
    this.#running.add(run);
    run.done = this.#work(job, abort)
      .catch((error) => {
        // The job's end could not be written: its lease runs out, and it is tried again.
        this.#options.log.error(
          { err: error, job: job.id, kind: job.kind },
          'could not record how a job ended',
        );
      })
      .finally(() => {
        this.#running.delete(run);
        this.#notify();
        this.wake();
      });
  }

  async #work(job: Claimed, abort: AbortController): Promise<void> {
    const { log, lease } = this.#options;
    const heartbeat = setInterval(() => {
      this.#store.renew(job).then(
        (held) => held || abort.abort(new JobStopped('The job was taken over by another process.')),
        (error) => {
          if (error instanceof DatabaseUnavailableError) return;
          log.warn({ err: error, job: job.id }, 'could not renew the lease of a job');
        },
      );
    }, lease / 3);
    const timeoutMs = this.performer.kinds().find(({ name }) => name === job.kind)?.timeoutMs ?? 0;
    const deadline = setTimeout(() => abort.abort(new JobTimeout(timeoutMs)), timeoutMs);
    const started = performance.now();
    const { lease: _, givenUp, ...runnable } = job;
    try {
      if (givenUp !== undefined) return await this.#close(job, givenUp);
      await this.performer.perform(runnable, abort.signal);
      await this.#record(() => this.#store.finish(job, 'done', null));
      log.debug({ job: job.id, kind: job.kind, ms: Math.round(performance.now() - started) }, 'job done');
    } catch (error) {
      await this.#failed(job, error, abort.signal.reason);
    } finally {
      clearInterval(heartbeat);
      clearTimeout(deadline);
    }
  }

  async #failed(job: Claimed, error: unknown, reason: unknown): Promise<void> {
    // Where the lease is lost this writes nothing.
    if (reason instanceof JobStopped) {
      await this.#record(() => this.#store.release(job));
      return;
    }
    const details = this.#detailsOf(job);
    if (error instanceof DatabaseUnavailableError && error.isOutage) {
      this.#options.log.warn({ ...details, cause: error.message }, 'a job starts over after an outage');
      await this.#record(() => this.#store.postpone(job, OUTAGE_PAUSE_MS, error.message));
      return;
    }
    if (error instanceof ProcessEnded) {
      this.#options.log.warn({ ...details, cause: error.message }, 'a job ended its process');
      await this.#store.blame(job, error.message);
      this.#options.onStuck();
      return;
    }
    const failure = reason instanceof JobTimeout ? reason : error;
    const message = failure instanceof Error ? failure.message : String(failure);
    if (isFinal(job, failure)) {
      await this.#close(job, message, failure);
    } else {
      const { attempt } = job;
      this.#options.log.warn({ ...details, attempt, err: failure }, 'job failed and will be tried again');
      await this.#record(() => this.#store.retry(job, this.#options.backOff(attempt), message));
    }
  }

  /** Ends a job as failed for good, in the data that it is about and in the log, too. */
  async #close(job: Claimed, message: string, error?: unknown): Promise<void> {
    const { log } = this.#options;
    const details = this.#detailsOf(job);
    const { lease: _, givenUp, ...runnable } = job;
    if (givenUp === undefined) log.error({ ...details, attempt: job.attempt, err: error }, 'job failed');
    else log.error(details, `job ${givenUp}`);
    try {
      await this.performer.recordFailure(runnable);
    } catch (err) {
      log.error({ ...details, err }, 'could not record in its data that a job has failed');
    }
    await this.#record(() => this.#store.finish(job, 'failed', message));
  }

  /** Records how a job ended once the database is there. Where the lease ran out meanwhile this writes nothing. */
  async #record(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        const isAway = error instanceof DatabaseUnavailableError && error.isOutage;
        if (!isAway || this.#state === 'stopped') throw error;
        await delay(OUTAGE_PAUSE_MS);
      }
    }
  }

  #detailsOf({ id, kind, organization, key }: Claimed) {
    return { job: id, kind, organization, key };
  }

  async #prune(): Promise<void> {
    const now = this.#options.clock().getTime();
    if (now - this.#prunedAt < PRUNE_EVERY) return;
    this.#prunedAt = now;
    await this.#store.prune(JOB_RETENTION_MS);
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function doubling(attempt: number): number {
  return Math.min(MAX_RETRY_PAUSE_MS, 1000 * 2 ** (attempt - 1));
}

/** Waits until all that run have ended, at most `limit` milliseconds. */
async function settled(running: ReadonlySet<Run>, limit: number): Promise<void> {
  if (running.size === 0) return;
  const timeout = new AbortController();
  const ended = Promise.all([...running].map(({ done }) => done));
  await Promise.race([ended, delay(limit, undefined, { signal: timeout.signal }).catch(() => {})]);
  timeout.abort();
}
