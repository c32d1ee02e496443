import type { Database, Transaction } from '../database/database.ts';
import type { Log } from '../database/log.ts';
import type { Clock, CreateId } from '../database/seams.ts';
import { afterCommit } from '../database/transactions.ts';
import type { Lane } from './claim-conditions.ts';
import type { FailureHook, JobKind, JobOutcome, JobPerformer, NewJob, Worker } from './kinds.ts';
import { type BackgroundLoop, Loops } from './loops.ts';
import { exponentialBackOff, JobRunner } from './runner.ts';
import { RunningJobs } from './running-jobs.ts';
import { type EndedJob, JobStore } from './store.ts';
import { WorkSearch } from './work-search.ts';
import { Workers } from './workers.ts';

export type { Job, JobKind, JobOutcome, NewJob, Worker } from './kinds.ts';
export { JobFailure, jobKind } from './kinds.ts';

/** Retention of finished jobs. */
export const JOB_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
/** Interval between deletions of expired jobs. */
const PRUNE_INTERVAL_MS = 60 * 60 * 1000;

/** A durable job queue in the application's database. */
export interface Queue {
  /** Runs the jobs. */
  readonly performer: JobPerformer;
  /**
   * Adds a job in the caller's transaction, atomically with its other writes.
   *
   * @returns the ID of the job
   */
  enqueue<Payload>(trx: Transaction, job: NewJob<Payload>): Promise<string>;
  /**
   * Registers the worker of a kind of job. Jobs of unregistered kinds wait for a process with a worker.
   *
   * @param onFailure records in the data of a job that it failed permanently
   */
  register<Payload>(kind: JobKind<Payload>, worker: Worker<Payload>, onFailure?: FailureHook<Payload>): void;
  /**
   * Announces kinds of jobs with the default time limit, whose workers are registered before the first job of one of them.
   *
   * @param names names of the kinds
   * @param load loads their modules and registers their workers
   */
  registerLater(names: readonly string[], load: () => Promise<void>): void;
  /** Adds a loop, which starts, wakes and stops with this queue. */
  attach(loop: BackgroundLoop): void;
  /** Wakes the loops after the commit of a transaction that wrote work for one of them. */
  wakeLoopsAfter(trx: Transaction): void;
  /** Starts running up to `concurrency` jobs at a time (2 by default). */
  start(options?: { concurrency?: number }): void;
  /**
   * Stops claiming jobs, waits up to `grace` milliseconds (10,000 by default) for the running ones, then aborts them
   * and returns them to the queue. Can be called again to shorten the wait.
   */
  stop(options?: { grace?: number }): Promise<void>;
  /** Looks for jobs now instead of at the next poll. */
  wake(): void;
  /** Returns the milliseconds since the last job ended here; 0 while a job is running, undefined before the first. */
  idleMs(): number | undefined;
  /** Marks the jobs of an ended process as suspected and returns them. `owner` identifies the process in its leases. */
  recordProcessEnd(owner: string, cause: string): Promise<EndedJob[]>;
  /** Waits until no job is running here and none is due, and until no loop has work that is due. */
  idle(): Promise<void>;
  /**
   * Waits until a job is done or has failed permanently.
   *
   * @throws Error if the job does not exist
   */
  waitFor(id: string): Promise<JobOutcome>;
}

export interface QueueOptions {
  database: Database;
  clock: Clock;
  createId: CreateId;
  log: Log;
  /** Milliseconds without a renewal before a running job is considered abandoned. */
  lease?: number;
  /** Interval in milliseconds for polling jobs of other processes. By default, that of {@link WorkSearch}. */
  poll?: number | undefined;
  /** Returns the delay in milliseconds before a retry, given the number of the failed attempt. */
  backOff?: (attempt: number) => number;
  /** The jobs to claim; all by default. */
  lane?: Lane;
  /** Runs the jobs; by default the workers registered in this queue. */
  performer?: JobPerformer;
  /** Identifies the process in its leases. */
  owner?: string;
  /** Called after each commit that added a job. */
  onEnqueue?: () => void;
  /** Called after a job ignored its time limit, so that only ending the process stops it. */
  onStuck?: () => void;
}

/**
 * Creates a queue over the `jobs` table. Jobs run at least once: after a crash, a job is run again.
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

class DurableQueue implements Queue {
  readonly #options: Required<Omit<QueueOptions, 'performer' | 'owner' | 'lane' | 'poll'>>;
  readonly #store: JobStore;
  readonly #workers = new Workers();
  readonly performer: JobPerformer;
  readonly #running: RunningJobs;
  readonly #loops = new Loops();
  /** Whether a new job is in the lane of this queue: none is suspected. */
  readonly #claimsNewJobs: boolean;
  readonly #search: WorkSearch;
  #concurrency = 2;
  #changed = Promise.withResolvers<void>();
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(options: QueueOptions) {
    const ignore = () => undefined;
    this.#options = {
      lease: 15_000,
      backOff: exponentialBackOff,
      onEnqueue: ignore,
      onStuck: ignore,
      ...options,
    };
    this.performer = options.performer ?? this.#workers;
    const { database: db, clock, createId, lease } = this.#options;
    const { lane = 'all', owner = createId('own') } = options;
    this.#claimsNewJobs = lane !== 'suspected';
    this.#store = new JobStore({ db, clock, createId, lease, lane, owner });
    const runner = new JobRunner({
      ...this.#options,
      store: this.#store,
      performer: this.performer,
      isStopped: () => this.#search.state === 'stopped',
    });
    const onEnd = () => {
      this.#notify();
      this.wake();
    };
    this.#running = new RunningJobs({ runner, store: this.#store, log: this.#options.log, onEnd });
    this.#search = new WorkSearch({
      database: db,
      clock,
      log: options.log,
      poll: options.poll,
      search: () => this.#claimJobs(),
      onEnd: () => this.#notify(),
      failure: 'could not claim jobs',
    });
  }

  async enqueue<Payload>(trx: Transaction, job: NewJob<Payload>): Promise<string> {
    const id = this.#options.createId('job');
    await this.#store.insert(trx, id, job);
    afterCommit(trx, () => {
      if (this.#claimsNewJobs) {
        this.wake();
      }
      this.#options.onEnqueue();
    });
    return id;
  }

  register<Payload>(kind: JobKind<Payload>, worker: Worker<Payload>, onFailure?: FailureHook<Payload>): void {
    this.#workers.register(kind, worker, onFailure);
  }

  registerLater(names: readonly string[], load: () => Promise<void>): void {
    this.#workers.registerLater(names, load);
  }

  attach(loop: BackgroundLoop): void {
    this.#loops.add(loop);
  }

  wakeLoopsAfter(trx: Transaction): void {
    afterCommit(trx, () => {
      this.#loops.wake();
      this.#options.onEnqueue();
    });
  }

  start({ concurrency = 2 }: { concurrency?: number } = {}): void {
    if (this.#search.state !== 'new') {
      throw new Error('The queue was already started.');
    }
    this.#concurrency = concurrency;
    this.#search.start();
    this.#loops.start();
  }

  async stop({ grace = 10_000 }: { grace?: number } = {}): Promise<void> {
    await this.#search.stop();
    await Promise.all([this.#running.settle(grace), this.#loops.stop(grace)]);
    await this.#running.release(grace);
    this.#notify();
  }

  wake(): void {
    this.#loops.wake();
    this.#search.wake();
  }

  idleMs(): number | undefined {
    return this.#loops.isBusy() ? 0 : this.#running.idleMs();
  }

  recordProcessEnd(owner: string, cause: string): Promise<EndedJob[]> {
    return this.#store.recordProcessEnd(owner, cause);
  }

  async idle(): Promise<void> {
    for (;;) {
      const { promise } = this.#changed;
      const isBusy = this.#search.isSearching || this.#running.size > 0;
      if (!isBusy && !(await this.#store.hasDue(this.#kinds()))) {
        await this.#loops.idle();
        return;
      }
      await promise;
    }
  }

  async waitFor(id: string): Promise<JobOutcome> {
    for (;;) {
      const { promise } = this.#changed;
      const job = await this.#store.state(id);
      if (!job) {
        throw new Error(`The job ${id} does not exist.`);
      }
      if (job.state === 'done' || job.state === 'failed') {
        return { state: job.state, lastError: job.lastError };
      }
      if (this.#search.state === 'stopped') {
        throw new Error(`The queue stopped before the job ${id} finished.`);
      }
      await promise;
    }
  }

  #kinds(): string[] {
    return this.performer.kinds().map(({ name }) => name);
  }

  /** Claims and starts due jobs up to the concurrency limit. Returns when the next one becomes due. */
  async #claimJobs(): Promise<number> {
    if (this.#claimsNewJobs) {
      await this.#prune();
    }
    while (this.#running.size < this.#concurrency && this.#search.state === 'started') {
      const job = await this.#store.claim(this.#kinds());
      if (!job) {
        return await this.#store.nextDueAt();
      }
      this.#running.start(job);
    }
    // The end of a job wakes the queue.
    return Number.POSITIVE_INFINITY;
  }

  async #prune(): Promise<void> {
    const now = this.#options.clock().getTime();
    if (now - this.#prunedAt < PRUNE_INTERVAL_MS) {
      return;
    }
    this.#prunedAt = now;
    await this.#store.prune(JOB_RETENTION_MS);
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
