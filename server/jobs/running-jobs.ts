import type { Log } from '../database/log.ts';
import { JobStopped } from './kinds.ts';
import type { JobRunner } from './runner.ts';
import { settled } from './settled.ts';
import type { ClaimedJob, JobStore } from './store.ts';

interface Run {
  job: ClaimedJob;
  abort: AbortController;
  done: Promise<void>;
}

export interface RunningJobsOptions {
  runner: JobRunner;
  store: JobStore;
  log: Log;
  /** Called after each job. */
  onEnd: () => void;
}

/** The jobs that this process is running. */
export class RunningJobs {
  readonly #options: RunningJobsOptions;
  readonly #runs = new Set<Run>();
  /** Time when the last job ended, from the clock of `performance`. */
  #lastEnd: number | undefined;

  constructor(options: RunningJobsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Runs a claimed job. */
  start(job: ClaimedJob): void {
    const { runner, log, onEnd } = this.#options;
    const abort = new AbortController();
    const run: Run = { job, abort, done: Promise.resolve() };
    this.#runs.add(run);
    run.done = runner
      .run(job, abort)
      .catch((error) => {
        // The job is run again after its lease expires.
        log.error({ err: error, job: job.id, kind: job.kind }, 'could not record the result of a job');
      })
      .finally(() => {
        this.#runs.delete(run);
        this.#lastEnd = performance.now();
        onEnd();
      });
  }

  /** Waits up to `grace` milliseconds for the jobs. */
  async settle(grace: number): Promise<void> {
    await settled(this.#runs, grace);
  }

  /** Aborts the jobs and returns them to the queue, even if their workers ignore their signals. */
  async release(grace: number): Promise<void> {
    for (const run of this.#runs) {
      run.abort.abort(new JobStopped('The server is stopping.'));
    }
    await settled(this.#runs, Math.min(grace, 1000));
    // A job that cannot be released now is claimed again after its lease expires.
    await Promise.allSettled([...this.#runs].map(({ job }) => this.#options.store.release(job)));
  }

  /** Returns the milliseconds since the last job ended; 0 while a job is running, undefined before the first. */
  idleMs(): number | undefined {
    if (this.#runs.size > 0) {
      return 0;
    }
    return this.#lastEnd === undefined ? undefined : performance.now() - this.#lastEnd;
  }
}
