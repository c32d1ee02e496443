import { jobKind } from '../../../server/jobs/queue.ts';

/** Jobs that end their process, each in its own way, and one that does not. */
export const faults = {
  /** Fills the heap. */
  heap: jobKind<null>('fault-heap'),
  /** Fills buffers outside the heap. */
  buffers: jobKind<null>('fault-buffers'),
  /** Never returns to the event loop. */
  loop: jobKind<null>('fault-loop'),
  /** Waits for ever, and does not heed its signal. */
  deaf: jobKind<null>('fault-deaf', { timeoutMs: 1000 }),
  exit: jobKind<null>('fault-exit'),
  abort: jobKind<null>('fault-abort'),
  /** Overflows the stack where nothing catches it. */
  stack: jobKind<null>('fault-stack'),
};

/** Writes its text over and over until it has been `done` for as long as `ms` says. */
export const innocent = jobKind<{ ms: number }>('innocent');

/** Overflows the stack within its own promise: a failure like any other. */
export const recursive = jobKind<null>('recursive');
