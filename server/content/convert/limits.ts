import type { TaskLimits } from '../../threads/thread.ts';

/** Limits of one import; the time limit applies to converting and storing, after fetching. */
export const IMPORT_TASK_LIMITS: TaskLimits = {
  processorMs: 120_000,
  timeMs: 120_000,
  memoryBytes: 1024 * 1024 * 1024,
};
