import { expect, test, vi } from 'vitest';
import {
  MAX_COUNTED_KEYS,
  type RequestCount,
  RequestCounts,
  type SharedCounts,
} from '../../../server/contract/limits/request-counts.ts';

const now = () => Date.parse('2026-01-01T00:00:30.000Z');

/** Counts shared by several processes, and the number of writes. */
class SharedTable implements SharedCounts {
  processes: number;
  writes = 0;
  readonly #sums = new Map<string, number>();

  constructor(processes: number) {
    this.processes = processes;
  }

  async exchange(counts: readonly RequestCount[]): Promise<RequestCount[]> {
    this.writes++;
    await new Promise(setImmediate);
    return counts.map(({ key, minute, count }) => {
      const sum = (this.#sums.get(key) ?? 0) + count;
      this.#sums.set(key, sum);
      return { key, minute, count: sum };
    });
  }
}

/** Sends requests through several counters concurrently. Returns how many were allowed. */
async function flood(counters: readonly RequestCounts[], each: number, key = 'a'): Promise<number> {
  const budgets = await Promise.all(
    counters.flatMap((counter) => Array.from({ length: each }, () => counter.count(key))),
  );
  return budgets.filter(({ isExceeded }) => !isExceeded).length;
}

test.each([2, 4, 8])('shares a limit between %i processes, to within a tenth', async (processes) => {
  const shared = new SharedTable(processes);
  const limit = 2000;
  const counters = Array.from({ length: processes }, () => new RequestCounts(limit, { now, shared }));
  const passed = await flood(counters, 2 * limit);
  expect(passed).toBeGreaterThanOrEqual(limit);
  expect(passed).toBeLessThanOrEqual(limit * 1.1);
  // Much less than one write per request.
  expect(shared.writes).toBeLessThan(passed / 4);
});

test('counts the requests of another process', async () => {
  const shared = new SharedTable(2);
  const [first, second] = [new RequestCounts(100, { now, shared }), new RequestCounts(100, { now, shared })];
  expect(await flood([first], 60)).toBe(60);
  expect(await flood([second], 60)).toBeLessThanOrEqual(50);
  expect((await second.count('a')).remaining).toBe(0);
});

test('writes nothing for callers with few requests, or for a single process', async () => {
  const shared = new SharedTable(4);
  const counts = new RequestCounts(6000, { now, shared });
  for (let index = 0; index < 1000; index++) {
    await counts.count(`caller ${index}`);
  }
  expect(shared.writes).toBe(0);
  shared.processes = 1;
  await flood([counts], 10_000);
  expect(shared.writes).toBe(0);
});

test('counts by process while the shared counts fail or are slow', async () => {
  const broken = { processes: 2, exchange: () => Promise.reject(new Error('No database.')) };
  expect(await flood([new RequestCounts(100, { now, shared: broken })], 200)).toBe(100);
  vi.useFakeTimers();
  try {
    const stuck = { processes: 2, exchange: () => new Promise<never>(() => undefined) };
    let accepted: number | undefined;
    void flood([new RequestCounts(100, { now, shared: stuck })], 200).then((count) => {
      accepted = count;
    });
    // Not all timers: those of earlier tests of the process may start others without end.
    while (accepted === undefined) {
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(accepted).toBe(100);
  } finally {
    vi.useRealTimers();
  }
});

test('limits the number of counted addresses', async () => {
  const counts = new RequestCounts(10, { now });
  for (let index = 0; index < MAX_COUNTED_KEYS + 5000; index++) {
    await counts.count(`address ${index}`);
  }
  expect(counts.size).toBe(MAX_COUNTED_KEYS);
});

test('lets returned requests be taken again', async () => {
  const counts = new RequestCounts(10, { now });
  for (let index = 0; index < 50; index++) {
    expect((await counts.count('a', 10)).isExceeded).toBe(false);
    counts.refund('a', 10);
  }
  expect((await counts.count('a', 3)).remaining).toBe(7);
});

test('subtracts returned requests that were already shared', async () => {
  const shared = new SharedTable(2);
  const [first, second] = [new RequestCounts(100, { now, shared }), new RequestCounts(100, { now, shared })];
  for (let index = 0; index < 40; index++) {
    await first.count('a', 10);
    first.refund('a', 10);
  }
  await expect.poll(async () => (await second.count('a', 4)).remaining).toBeGreaterThan(80);
});
