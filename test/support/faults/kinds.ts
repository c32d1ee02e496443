import { jobKind } from '../../../server/jobs/queue.ts';

/** Jobs that end their process in different ways. */
export const faults = {
  /** Fills the heap. */
  heap: jobKind<null>('fault-heap'),
  /** Fills buffers outside the heap. */
  buffers: jobKind<null>('fault-buffers'),
  /** Never returns to the event loop. */
  loop: jobKind<null>('fault-loop'),
  /** Waits forever and ignores its signal. */
  unresponsive: jobKind<null>('fault-unresponsive', { timeoutMs: 1000 }),
  exit: jobKind<null>('fault-exit'),
  abort: jobKind<null>('fault-abort'),
  /** Overflows the stack outside any promise. */
  stack: jobKind<null>('fault-stack'),
};

/** Succeeds after `ms` milliseconds. */
export const harmlessJob = jobKind<{ ms: number }>('harmless');

/** Appends the ID of the job to a file. */
export const recordedJob = jobKind<{ file: string; ms: number }>('recorded');

/** Overflows the stack within its own promise: an ordinary failure. */
export const recursive = jobKind<null>('recursive');
