// Tasks of threads in tests, in a module that takes long to load.
import { isMainThread } from 'node:worker_threads';

/** Time to load this module in a thread. */
export const LOAD_MS = 1000;

if (!isMainThread) {
  const end = performance.now() + LOAD_MS;
  while (performance.now() < end) {}
  await import('./thread-tasks.ts');
}
