import { AsyncLocalStorage } from 'node:async_hooks';
import { getPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { helperThreads } from '../../../server/threads/priorities.ts';
import { TASK_START_TIMEOUT_MS } from '../../../server/threads/thread.ts';
import {
  createThreads,
  MAX_RETAINED_THREAD_BYTES,
  type RunOptions,
  TaskLimitError,
  type Threads,
  ThreadsBusyError,
  type ThreadsOptions,
} from '../../../server/threads/threads.ts';
import { LOAD_MS } from '../../support/processes/slow-thread-tasks.ts';
import { GARBAGE_BYTES, type TestTasks } from '../../support/processes/thread-tasks.ts';

const entry = new URL('../../support/processes/thread-tasks.ts', import.meta.url);
const bounds = { tasks: 100, bytes: 1_000_000 };

let pool: Threads<TestTasks>;
afterEach(() => pool.close());

function open(options: Partial<ThreadsOptions> = {}): Threads<TestTasks> {
  pool = createThreads<TestTasks>({ entry, threads: 2, perOwner: bounds, total: bounds, ...options });
  return pool;
}

const by = <Host = undefined>(owner: string, more: Partial<RunOptions<Host>> = {}): RunOptions<Host> => ({
  owner,
  bytes: 1,
  ...more,
});

describe('threads', () => {
  test('run tasks and return their results', async () => {
    open();
    const results = await Promise.all([1, 2, 3].map((value) => pool.run('double', value, by('org'))));
    expect(results).toEqual([2, 4, 6]);
    expect(await pool.run('bytes', 5, by('org'))).toEqual(new Uint8Array(5).fill(7));
  });

  test('have no access to the environment', async () => {
    expect(await open().run('thread', undefined, by('org'))).toBeUndefined();
  });

  test.runIf(process.platform === 'linux')('yield the processor to requests while they load', async () => {
    const priority = await open().run('priority', undefined, by('org'));
    expect(priority).toBeGreaterThan(getPriority());
  });

  test.runIf(process.platform === 'linux')('collect garbage at a lower priority, too', async () => {
    const priority = await open().run('priority', undefined, by('org'));
    const helpers = helperThreads().map((id) => getPriority(id));
    expect(helpers.length).toBeGreaterThan(0);
    for (const helper of helpers) {
      expect(helper).toBeGreaterThan(getPriority());
      expect(helper).toBeLessThan(priority);
    }
  });

  test('report errors of a task, and continue', async () => {
    open({ threads: 1 });
    await expect(pool.run('fail', 'no such luck', by('org'))).rejects.toThrow('no such luck');
    expect(await pool.run('double', 2, by('org'))).toBe(4);
  });

  test('limit the time of tasks, not that of loading their modules', async () => {
    open({ entry: new URL('../../support/processes/slow-thread-tasks.ts', import.meta.url) });
    const limits = { timeMs: LOAD_MS / 2, processorMs: LOAD_MS / 2 };
    expect(await pool.run('double', 2, by('org', { limits }))).toBe(4);
  });

  test('that do not start a task in time reject it, so that it can be retried', async () => {
    open({ entry: new URL('data:text/javascript,setInterval(() => {}, 1e9)') });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const rejected = expect(pool.run('double', 2, by('org'))).rejects.toThrow(ThreadsBusyError);
      vi.advanceTimersByTime(TASK_START_TIMEOUT_MS);
      await rejected;
    } finally {
      vi.useRealTimers();
    }
  });

  test('call the host of a task', async () => {
    const host = { square: async (value: number) => value * value };
    expect(await open().run('ask', 3, by('org', { host }))).toBe(14);
  });

  test('call the host in the asynchronous context of the caller', async () => {
    const context = new AsyncLocalStorage<number>();
    const host = { square: async (value: number) => value * (context.getStore() ?? 0) };
    const asked = context.run(5, () => open().run('ask', 3, by('org', { host })));
    expect(await asked).toBe(
      await open().run('ask', 3, by('org', { host: { square: async (n: number) => n * 5 } })),
    );
  });

  test('report errors of a host to the task', async () => {
    const host = {
      square: async (): Promise<number> => {
        throw new Error('not today');
      },
    };
    await expect(open().run('ask', 3, by('org', { host }))).rejects.toThrow('not today');
  });
});

describe('an idle thread', () => {
  const shared = (bytes: number) => new SharedArrayBuffer(bytes);

  test('returns its memory before it ends, and no task waits for that', async () => {
    open({ threads: 1, idleMs: 0 });
    const [ended, heap, mayEnd] = [
      new Int32Array(shared(4)),
      new Float64Array(shared(8)),
      new Int32Array(shared(4)),
    ];
    await pool.run('leaveGarbage', { ended, heap, mayEnd }, by('org'));
    await Atomics.waitAsync(ended, 0, 0).value;
    expect(heap[0]).toBeGreaterThan(0);
    expect(heap[0]).toBeLessThan(GARBAGE_BYTES / 4);
    expect(await pool.run('double', 2, by('org'))).toBe(4);
    Atomics.store(mayEnd, 0, 1);
    Atomics.notify(mayEnd, 0);
  });

  test('remains if it is retained: of several, the one used last', async () => {
    open({ threads: 2, idleMs: 20, retained: 1 });
    const [first, second] = await Promise.all([1, 2].map(() => pool.run('id', undefined, by('org'))));
    await delay(200);
    const last = await pool.run('id', undefined, by('org'));
    expect([first, second]).toContain(last);
    await delay(200);
    expect(await pool.run('id', undefined, by('org'))).toBe(last);
  });

  test('ends although it could be retained if it uses much memory', async () => {
    open({ threads: 1, idleMs: 0, retained: 1 });
    const first = await pool.run('id', undefined, by('org'));
    await pool.run('hold', MAX_RETAINED_THREAD_BYTES, by('org'));
    await vi.waitUntil(async () => (await pool.run('id', undefined, by('org'))) !== first, {
      timeout: 60_000,
    });
  });
});

describe('limits', () => {
  test.each(['processorMs', 'timeMs'] as const)(
    'end a task beyond its %s, and run the next',
    async (limit) => {
      open({ threads: 1 });
      const limits = { [limit]: 100 };
      await expect(pool.run('spin', undefined, by('org', { limits }))).rejects.toMatchObject({
        limit: 'time',
      });
      expect(await pool.run('double', 2, by('org'))).toBe(4);
    },
  );

  test('exclude the time a task waits for the processor', async () => {
    const host = { square: (value: number) => delay(250, value * value) };
    expect(await open().run('ask', 3, by('org', { host, limits: { processorMs: 500 } }))).toBe(14);
  });

  test.each(['map', 'array', 'buffers'] as const)(
    'end a task that uses too much memory (%s)',
    async (kind) => {
      open({ threads: 1 });
      const limits = { memoryBytes: 100_000_000 };
      const grown = pool.run('grow', kind, by('org', { limits }));
      await expect(grown).rejects.toBeInstanceOf(TaskLimitError);
      await expect(grown).rejects.toMatchObject({ limit: 'memory' });
      expect(await pool.run('double', 2, by('org'))).toBe(4);
    },
  );

  test('end an aborted task, and remove a waiting one from the queue', async () => {
    open({ threads: 1 });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = pool.run('spin', undefined, by('org', { signal: running.signal }));
    const second = pool.run('double', 1, by('org', { signal: waiting.signal }));
    const third = pool.run('double', 2, by('org'));
    waiting.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    running.abort(new Error('gone too'));
    await expect(first).rejects.toThrow('gone too');
    expect(await third).toBe(4);
  });
});

describe('the queue', () => {
  const spin = (owner: string, signal: AbortSignal, bytes = 1) =>
    pool.run('spin', undefined, by(owner, { signal, bytes })).catch((error: unknown) => error);

  test('reserves a thread for other owners', async () => {
    open({ threads: 3 });
    const stop = new AbortController();
    const busy = Array.from({ length: 6 }, () => spin('greedy', stop.signal));
    expect(await pool.run('double', 2, by('modest'))).toBe(4);
    stop.abort();
    await Promise.all(busy);
  });

  test('lets owners take turns', async () => {
    open({ threads: 1 });
    const ended: string[] = [];
    const work = ['greedy', 'greedy', 'greedy', 'modest'].map((owner) =>
      pool.run('double', 1, by(owner)).then(() => ended.push(owner)),
    );
    await Promise.all(work);
    expect(ended.indexOf('modest')).toBeLessThan(3);
  });

  test('is limited per owner by number and by bytes, and in total', async () => {
    open({ threads: 2, perOwner: { tasks: 2, bytes: 10 }, total: { tasks: 5, bytes: 100 } });
    const stop = new AbortController();
    // One of them runs.
    const busy = Array.from({ length: 3 }, () => spin('greedy', stop.signal));
    await expect(pool.run('double', 1, by('greedy'))).rejects.toBeInstanceOf(ThreadsBusyError);
    expect(await pool.run('double', 1, by('modest'))).toBe(2);
    busy.push(spin('large', stop.signal), spin('large', stop.signal, 6));
    await expect(pool.run('double', 1, by('large', { bytes: 6 }))).rejects.toBeInstanceOf(ThreadsBusyError);
    busy.push(spin('third', stop.signal), spin('fourth', stop.signal));
    await expect(pool.run('double', 1, by('fifth'))).rejects.toBeInstanceOf(ThreadsBusyError);
    stop.abort();
    await Promise.all(busy);
  });

  test('rejects tasks that wait too long', async () => {
    open({ threads: 1, maxWaitMs: 50 });
    const stop = new AbortController();
    const busy = spin('org', stop.signal);
    await expect(pool.run('double', 1, by('org'))).rejects.toBeInstanceOf(ThreadsBusyError);
    stop.abort();
    await busy;
  });

  test('rejects waiting and running tasks when the pool closes', async () => {
    open({ threads: 1 });
    const { signal } = new AbortController();
    const work = [spin('org', signal), spin('org', signal)];
    await pool.close();
    for (const error of await Promise.all(work)) {
      expect(error).toBeInstanceOf(ThreadsBusyError);
    }
    await expect(pool.run('double', 1, by('org'))).rejects.toBeInstanceOf(ThreadsBusyError);
  });
});
