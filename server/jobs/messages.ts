import type { KindLimits, RunnableJob } from './kinds.ts';

/** A message from the server to a job process. */
export type ToChild =
  | { type: 'wake' }
  | { type: 'ping' }
  | { type: 'stop'; graceMs: number }
  | { type: 'run'; job: RunnableJob }
  /** Stops the running job: after its time limit, or to return it to the queue. */
  | { type: 'abort'; timeoutMs: number | undefined };

/** A message from a job process to the server. */
export type ToServer =
  | { type: 'ready'; kinds: readonly KindLimits[] }
  /** A heartbeat with the memory of buffers outside the heap. */
  | { type: 'pong'; bufferBytes: number }
  /** An uncaught error; the process ends. */
  | { type: 'fault'; message: string }
  | { type: 'done' }
  | { type: 'failed'; message: string; stack: string | undefined; isPermanent: boolean };

/** The mode of a job process: running the queue, or a single job sent by the server. */
export type ChildMode = 'queue' | 'single';

/** The file descriptor of the server's log in a job process, whose own standard error is captured. */
export const LOG_DESCRIPTOR = 3;
