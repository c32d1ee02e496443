// Tasks of threads in tests, and the module that such a thread runs.
import { getPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { isMainThread, threadId } from 'node:worker_threads';
import { serveTasks } from '../../../server/threads/threads.ts';

/** Shared memory of a test and a thread that ends. */
export interface ThreadEnd {
  ended: Int32Array<SharedArrayBuffer>;
  heap: Float64Array<SharedArrayBuffer>;
  mayEnd: Int32Array<SharedArrayBuffer>;
}

/** Size of a heap with garbage. */
export const GARBAGE_BYTES = 150_000_000;

const loadPriority = getPriority();
let held: Uint8Array | undefined;

const tasks = {
  double: (value: number) => value * 2,
  bytes: (length: number) => new Uint8Array(length).fill(7),
  thread: () => process.env.PATH,
  /** Returns the priority of the thread while it loaded its modules. */
  priority: () => loadPriority,
  id: () => threadId,
  fail: (message: string): never => {
    throw new Error(message);
  },
  spin: () => {
    for (;;) {}
  },
  /** Keeps memory in use. */
  hold: (bytes: number) => {
    held = new Uint8Array(bytes);
    return held.length;
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
  /** Leaves garbage. When the thread ends, it reports the size of its heap in bytes, and waits for a notification. */
  leaveGarbage: ({ ended, heap, mayEnd }: ThreadEnd) => {
    let garbage: object[] = [];
    while (getHeapStatistics().total_physical_size < GARBAGE_BYTES) {
      garbage.push({ number: garbage.length });
    }
    garbage = [];
    process.on('exit', () => {
      heap[0] = getHeapStatistics().total_physical_size;
      Atomics.store(ended, 0, 1);
      Atomics.notify(ended, 0);
      Atomics.wait(mayEnd, 0, 0);
    });
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
