// Tasks of threads in tests, and the module that such a thread runs.
import { getPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { serveTasks } from '../../server/threads/threads.ts';

const tasks = {
  double: (value: number) => value * 2,
  bytes: (length: number) => new Uint8Array(length).fill(7),
  thread: () => process.env.PATH,
  priority: () => getPriority(),
  fail: (message: string): never => {
    throw new Error(message);
  },
  spin: () => {
    for (;;) {}
  },
  /** Fills the heap, or memory outside it. */
  grow: (kind: 'map' | 'array' | 'buffers') => {
    if (kind === 'map') {
      for (const map = new Map(); ; ) {
        map.set(map.size, {});
      }
    }
    for (const all: object[] = []; ; ) {
      all.push(kind === 'buffers' ? new Uint8Array(1_000_000).fill(1) : new Array(10_000_000).fill(all));
    }
  },
  /** Sums the results of its host. */
  ask: async (upTo: number, host: { square(value: number): Promise<number> }) => {
    let sum = 0;
    for (let value = 1; value <= upTo; value++) {
      sum += await host.square(value);
    }
    return sum;
  },
};

export type TestTasks = typeof tasks;

if (!isMainThread) {
  serveTasks(tasks);
}
