import type { KindLimits, RunnableJob } from './kinds.ts';

/** A message from the server to a job process. */
export type ToChild =
  | { type: 'wake' }
  | { type: 'ping' }
  /** Requests the metrics of the process. */
  | { type: 'metrics' }
  | { type: 'stop'; graceMs: number }
  /** Its trace is that of the attempt. */
  | { type: 'run'; job: RunnableJob }
  /** Stops the running job: after its time limit, or to return it to the queue. */
  | { type: 'abort'; timeoutMs: number | undefined };

/** A message from a job process to the server. */
export type ToServer =
  /** The process runs jobs from now on. `residentBytes` is its memory before the first one. */
  | { type: 'ready'; kinds: readonly KindLimits[]; residentBytes: number }
  | Heartbeat
  | MetricsMessage
  /** An uncaught error; the process ends. */
  | { type: 'fault'; message: string }
  | { type: 'done' }
  | { type: 'failed'; message: string; stack: string | undefined; isPermanent: boolean };

/** The current memory of a job process. */
export interface Heartbeat {
  type: 'pong';
  /** Memory of buffers outside the heap. */
  bufferBytes: number;
  /** Memory of the process that is not swapped out. */
  residentBytes: number;
  /** Time since its last job ended; 0 while a job is running, and undefined before the first one. */
  idleMs: number | undefined;
}

/** What a job process has counted since its start. */
export interface MetricsMessage {
  type: 'metrics';
  /** Plain data of `telemetry/`; undefined if the process counts nothing. */
  metrics: unknown;
  /** Whether the process ends, so that these are its last ones. */
  isLast: boolean;
}

/** The mode of a job process: running the queue, or a single job sent by the server. */
export type ChildMode = 'queue' | 'single';

/** The file descriptor of the server's log in a job process. Its own standard error is captured. */
export const LOG_DESCRIPTOR = 3;
