import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../database/errors.ts';
import type { Log } from '../database/log.ts';
import { type JobEvent, jobAttempts } from '../diagnostics/channels.ts';
import { isFinal, type JobPerformer, JobStopped, JobTimeout, ProcessEnded } from './kinds.ts';
import type { ClaimedJob, JobStore } from './store.ts';

/** Maximum delay before a failed job is retried. */
export const MAX_RETRY_PAUSE_MS = 5 * 60 * 1000;
/** Delay before a job restarts that was interrupted by a database outage. */
const OUTAGE_PAUSE_MS = 1000;

export interface JobRunnerOptions {
  store: JobStore;
  performer: JobPerformer;
  log: Log;
  /** Milliseconds without a renewal before a running job is considered abandoned. */
  lease: number;
  /** Returns the delay in milliseconds before a retry, given the number of the failed attempt. */
  backOff: (attempt: number) => number;
  /** Called after a job ignored its time limit, so that only ending the process stops it. */
  onStuck: () => void;
  /** Returns whether the queue stopped, so that results are no longer retried. */
  isStopped: () => boolean;
}

/** Runs claimed jobs and records their results. */
export class JobRunner {
  readonly #options: JobRunnerOptions;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /**
   * Runs a job until it ends or its signal aborts, renews its lease meanwhile, and records its result.
   *
   * @throws errors of recording the result. The job is then run again when its lease expires.
   */
  async run(job: ClaimedJob, abort: AbortController): Promise<void> {
    const { id, kind, attempt, traceParent } = job;
    const event: JobEvent = { id, kind, attempt, traceParent, outcome: undefined };
    await jobAttempts.tracePromise(() => this.#run(job, abort, event), event);
  }

  async #run(job: ClaimedJob, abort: AbortController, event: JobEvent): Promise<void> {
    const { log, lease } = this.#options;
    const heartbeat = setInterval(() => {
      this.#options.store.renew(job).then(
        (isRenewed) => isRenewed || abort.abort(new JobStopped('The job was claimed by another process.')),
        (error) => {
          if (error instanceof DatabaseUnavailableError) {
            return;
          }
          log.warn({ err: error, job: job.id }, 'could not renew the lease of a job');
        },
      );
    }, lease / 3);
    const timeoutMs = this.#options.performer.kinds().find(({ name }) => name === job.kind)?.timeoutMs ?? 0;
    const deadline = setTimeout(() => abort.abort(new JobTimeout(timeoutMs)), timeoutMs);
    const startedAt = performance.now();
    try {
      if (job.fatalError !== undefined) {
        event.outcome = 'failed';
        await this.#fail(job, job.fatalError);
      } else if (await this.#perform(job, abort.signal, event)) {
        event.outcome = 'done';
        // An error of this write is no failure of the job.
        await this.#record(() => this.#options.store.finish(job, 'done', null));
        log.debug({ job: job.id, kind: job.kind, ms: Math.round(performance.now() - startedAt) }, 'job done');
      }
    } finally {
      clearInterval(heartbeat);
      clearTimeout(deadline);
    }
  }

  /** Runs a job, and handles its failure. Returns whether it succeeded. */
  async #perform(job: ClaimedJob, signal: AbortSignal, event: JobEvent): Promise<boolean> {
    const { lease: _, fatalError: __, ...runnable } = job;
    try {
      await this.#options.performer.perform(runnable, signal);
      return true;
    } catch (error) {
      await this.#handleFailure(job, error, signal.reason, event);
      return false;
    }
  }

  async #handleFailure(job: ClaimedJob, error: unknown, reason: unknown, event: JobEvent): Promise<void> {
    // Writes nothing if the lease was lost.
    if (reason instanceof JobStopped) {
      event.outcome = 'stopped';
      await this.#record(() => this.#options.store.release(job));
      return;
    }
    const details = this.#detailsOf(job);
    if (error instanceof DatabaseUnavailableError && error.isOutage) {
      event.outcome = 'postponed';
      this.#options.log.warn({ ...details, cause: error.message }, 'job restarts after a database outage');
      await this.#record(() => this.#options.store.postpone(job, OUTAGE_PAUSE_MS, error.message));
      return;
    }
    if (error instanceof ProcessEnded) {
      event.outcome = 'crashed';
      this.#options.log.warn({ ...details, cause: error.message }, 'job ended its process');
      try {
        await this.#options.store.recordCrash(job, error.message);
      } finally {
        // Even if it is not recorded: the job still runs, and another process claims it after its lease expires.
        this.#options.onStuck();
      }
      return;
    }
    const failure = reason instanceof JobTimeout ? reason : error;
    const message = failure instanceof Error ? failure.message : String(failure);
    if (isFinal(job, failure)) {
      event.outcome = 'failed';
      await this.#fail(job, message, failure);
    } else {
      event.outcome = 'retried';
      const { attempt } = job;
      this.#options.log.warn({ ...details, attempt, err: failure }, 'job failed and will be retried');
      await this.#record(() => this.#options.store.retry(job, this.#options.backOff(attempt), message));
    }
  }

  /** Records a permanent failure of a job: in the queue, in the data of the job and in the log. */
  async #fail(job: ClaimedJob, message: string, error?: unknown): Promise<void> {
    const { log } = this.#options;
    const details = this.#detailsOf(job);
    const { lease: _, fatalError, ...runnable } = job;
    if (fatalError === undefined) {
      log.error({ ...details, attempt: job.attempt, err: error }, 'job failed');
    } else {
      log.error(details, `job ${fatalError}`);
    }
    try {
      await this.#options.performer.recordFailure(runnable, message);
    } catch (err) {
      log.error({ ...details, err }, 'could not record the failure in the data of the job');
    }
    await this.#record(() => this.#options.store.finish(job, 'failed', message));
  }

  /** Records the result of a job, retrying during a database outage. Writes nothing if the lease expired meanwhile. */
  async #record(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        const isOutage = error instanceof DatabaseUnavailableError && error.isOutage;
        if (!isOutage || this.#options.isStopped()) {
          throw error;
        }
        await delay(OUTAGE_PAUSE_MS);
      }
    }
  }

  #detailsOf({ id, kind, organization, key }: ClaimedJob) {
    return { job: id, kind, organization, key };
  }
}

/** Returns the delay in milliseconds before a retry, doubled with each attempt. */
export function exponentialBackOff(attempt: number): number {
  return Math.min(MAX_RETRY_PAUSE_MS, 1000 * 2 ** (attempt - 1));
}
