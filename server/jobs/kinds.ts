declare const payloadOf: unique symbol;

/**
 * A kind of job with the payload (JSON) it carries: what the code that enqueues it and the worker that does it
 * agree on. Made once, beside the worker.
 */
export interface JobKind<Payload> extends KindLimits {
  readonly [payloadOf]?: Payload;
}

/** What a queue knows of a kind without having a worker for it; can be sent to another process. */
export interface KindLimits {
  readonly name: string;
  /** Milliseconds that one try may take; {@link JOB_TIMEOUT_MS} by default. */
  readonly timeoutMs: number;
}

/** The longest that one try of a job may take, in milliseconds, where its kind states nothing else. */
export const JOB_TIMEOUT_MS = 15 * 60_000;
/** How long a worker may take to heed its signal after that, in milliseconds, before its process is ended. */
export const ABORT_GRACE_MS = 5000;

/** @example const gitImport = jobKind<{ space: string; url: string }>('git-import') */
export function jobKind<Payload>(
  name: string,
  { timeoutMs = JOB_TIMEOUT_MS }: { timeoutMs?: number } = {},
): JobKind<Payload> {
  return { name, timeoutMs };
}

/** A job to be done. */
export interface NewJob<Payload> {
  kind: JobKind<Payload>;
  organization: string;
  payload: Payload;
  /** Jobs of one key run one at a time, in order, whatever their kinds. Without one nothing is waited for. */
  key?: string;
  /** The order within the key; equal ones, and those without, go by creation. Compares as text. */
  orderKey?: string;
  /** When to run at the earliest; at once by default. */
  runAt?: Date;
  /** How often it is tried in all. */
  maxAttempts?: number;
}

/** A job as its worker gets it. */
export interface Job<Payload> {
  id: string;
  organization: string;
  key: string | null;
  payload: Payload;
  createdAt: string;
  /** 1 for the first try. */
  attempt: number;
  /** Set on the last try: when this one fails, nobody tries again. */
  lastAttempt: boolean;
}

/**
 * Does a job. It may be run again after a crash at any point of it, so its writes must bear repeating. `signal`
 * aborts when the job has to stop: at shutdown, after the time limit of its kind, or when another process has taken
 * it over.
 */
export type Worker<Payload> = (job: Job<Payload>, signal: AbortSignal) => Promise<void>;

/**
 * Records in the data of a job that it has failed for good. May be called again; what it throws is logged, and the
 * job stays failed.
 */
export type FailureHook<Payload> = (job: Job<Payload>) => Promise<void>;

/** Thrown by a worker whose job cannot succeed however often it is tried. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

/** The time limit of a job's kind is over. The reason of its signal, and the failure of that try. */
export class JobTimeout extends Error {
  override readonly name = 'JobTimeout';

  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`The job took longer than ${timeoutMs / 1000} s.`);
    this.timeoutMs = timeoutMs;
  }
}

/** Whether a failure of a job is its last. */
export function isFinal({ lastAttempt }: { lastAttempt: boolean }, error: unknown): boolean {
  return lastAttempt || error instanceof JobFailure;
}

/** Nothing is wrong with the job: it is given back, to be started over. The reason of its signal. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

/** A job ended the process that it ran in, or has to be ended with it. The message is the cause. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
}

/** Does jobs: in this process, or by starting another one. */
export interface JobPerformer {
  /** The kinds that it does. */
  kinds(): readonly KindLimits[];
  /**
   * Does a job.
   *
   * @throws ProcessEnded where the job ended its process
   * @throws Error the failure of the job
   */
  perform(job: RunnableJob, signal: AbortSignal): Promise<void>;
  /** Records in the data of a job that it has failed for good. */
  recordFailure(job: RunnableJob): Promise<void>;
}

/** A job with the name of its kind; can be sent to another process. */
export interface RunnableJob extends Job<unknown> {
  kind: string;
}

/** How a job ended. */
export interface JobOutcome {
  state: 'done' | 'failed';
  /** The message of the last failure. */
  lastError: string | null;
}
