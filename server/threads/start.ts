/** The module that each worker thread runs first. It imports the entry module, with all that the tasks need. */
import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from './priorities.ts';

/** Passed to the thread. */
export interface ThreadStart {
  /** URL of the entry module. */
  entry: string;
}

lowerThreadPriority();
// `Thread` passes it.
const { entry } = workerData as ThreadStart;
await import(entry);
