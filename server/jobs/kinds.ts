declare const payloadOf: unique symbol;

/**
 * A kind of job with the payload (JSON) it carries: what the code that enqueues it and the worker that does it
 * agree on. Made once, beside the worker.
 */
export interface JobKind<Payload> {
  readonly name: string;
  readonly [payloadOf]?: Payload;
}

/** @example const gitImport = jobKind<{ space: string; url: string }>('git-import') */
export function jobKind<Payload>(name: string): JobKind<Payload> {
  return { name };
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
 * aborts when the job has to stop: at shutdown, or when another process has taken it over.
 */
export type Worker<Payload> = (job: Job<Payload>, signal: AbortSignal) => Promise<void>;

/** Thrown by a worker whose job cannot succeed however often it is tried. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

/** How a job ended. */
export interface JobOutcome {
  state: 'done' | 'failed';
  /** The message of the last failure. */
  lastError: string | null;
}
