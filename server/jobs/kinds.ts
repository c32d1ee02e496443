declare const payloadOf: unique symbol;

/** A kind of job with its payload type (JSON), shared by the code that enqueues its jobs and their worker. */
export interface JobKind<Payload> extends KindLimits {
  readonly [payloadOf]?: Payload;
}

/** The limits of a kind of job. Can be sent to another process. */
export interface KindLimits {
  readonly name: string;
  /** Time limit of an attempt in milliseconds; {@link JOB_TIMEOUT_MS} by default. */
  readonly timeoutMs: number;
}

/** Default time limit of an attempt of a job. */
export const JOB_TIMEOUT_MS = 15 * 60_000;
/** Time for a worker to stop after its signal is aborted, before its process is killed. */
export const ABORT_GRACE_MS = 5000;

/** @example const gitImport = jobKind<{ space: string; url: string }>('git-import') */
export function jobKind<Payload>(
  name: string,
  { timeoutMs = JOB_TIMEOUT_MS }: { timeoutMs?: number } = {},
): JobKind<Payload> {
  return { name, timeoutMs };
}

/** A job to enqueue. */
export interface NewJob<Payload> {
  kind: JobKind<Payload>;
  organization: string;
  payload: Payload;
  /** Jobs with the same key run one at a time, in order, regardless of their kinds. */
  key?: string;
  /** Order among jobs with the same key, compared as text. Equal or missing values are ordered by creation. */
  orderKey?: string;
  /** Earliest start time; immediately by default. */
  runAt?: Date;
  /** Maximum number of attempts. */
  maxAttempts?: number;
}

/** A job passed to its worker. */
export interface Job<Payload> {
  id: string;
  organization: string;
  key: string | null;
  payload: Payload;
  createdAt: string;
  /** Number of this attempt, starting at 1. */
  attempt: number;
  /** Whether this is the last attempt. */
  lastAttempt: boolean;
}

/**
 * Runs a job. A job may be run again after a crash at any point, so its writes must be idempotent. `signal` is aborted
 * at shutdown, after the time limit of the kind, or when another process has claimed the job.
 */
export type Worker<Payload> = (job: Job<Payload>, signal: AbortSignal) => Promise<void>;

/**
 * Records in the data of a job that it failed permanently. Must be idempotent. Errors are logged and do not change the
 * state of the job.
 *
 * @param cause message of its last error, or why it ended its process
 */
export type FailureHook<Payload> = (job: Job<Payload>, cause: string) => Promise<void>;

/** A permanent failure, thrown by a worker. The job is not retried. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

/** An attempt exceeded the time limit. The reason of the aborted signal and the failure of the attempt. */
export class JobTimeout extends Error {
  override readonly name = 'JobTimeout';

  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`The job took longer than ${timeoutMs / 1000} s.`);
    this.timeoutMs = timeoutMs;
  }
}

/** Returns whether a failure is permanent. */
export function isFinal({ lastAttempt }: { lastAttempt: boolean }, error: unknown): boolean {
  return lastAttempt || error instanceof JobFailure;
}

/** The job was stopped without a failure and is returned to the queue. The reason of the aborted signal. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

/** The process of a job ended, or has to be ended to stop the job. The message is the cause. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
}

/** Runs jobs in this process or in another one. */
export interface JobPerformer {
  /** Returns the supported kinds of jobs. */
  kinds(): readonly KindLimits[];
  /**
   * Runs a job.
   *
   * @throws ProcessEnded if the process of the job ended
   * @throws Error if the job failed
   */
  perform(job: RunnableJob, signal: AbortSignal): Promise<void>;
  /** Records in the data of a job that it failed permanently, see {@link FailureHook}. */
  recordFailure(job: RunnableJob, cause: string): Promise<void>;
}

/** A job with the name of its kind; can be sent to another process. */
export interface RunnableJob extends Job<unknown> {
  kind: string;
  /** The trace in which it was enqueued; null if there is none. */
  traceParent: string | null;
}

/** The result of a job. */
export interface JobOutcome {
  state: 'done' | 'failed';
  /** Message of the last failure. */
  lastError: string | null;
}
