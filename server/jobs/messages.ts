import type { KindLimits, RunnableJob } from './kinds.ts';

/** What the server sends to a process that it forked for jobs. */
export type ToChild =
  | { type: 'wake' }
  | { type: 'ping' }
  | { type: 'stop'; graceMs: number }
  | { type: 'run'; job: RunnableJob }
  /** Ends the job that runs: because its time is over, or to give it back. */
  | { type: 'abort'; timeoutMs: number | undefined };

/** What such a process sends to the server. */
export type ToServer =
  | { type: 'ready'; kinds: readonly KindLimits[] }
  /** A sign of life, with the memory of buffers outside the heap. */
  | { type: 'pong'; bufferBytes: number }
  /** An error that nothing caught; the process ends. */
  | { type: 'fault'; message: string }
  | { type: 'done' }
  | { type: 'failed'; message: string; stack: string | undefined; isPermanent: boolean };

/** How a forked process does jobs: many from the queue, or the one that it is sent. */
export type ChildMode = 'queue' | 'single';

/** The file descriptor in a forked process that is the server's log: its own standard error is watched. */
export const LOG_DESCRIPTOR = 3;
