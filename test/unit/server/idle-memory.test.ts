import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';
import { afterEach, expect, test, vi } from 'vitest';
import { releaseMemoryWhenIdle } from '../../../server/process/idle-memory.ts';
import { serveOnLoopback } from '../../support/http/loopback.ts';

const MEGABYTE = 1_048_576;
const heapBytes = () => getHeapStatistics().total_physical_size;

let stop = () => {};

afterEach(() => {
  stop();
  vi.restoreAllMocks();
});

/** Fills the heap with objects that survive minor collections, and drops them. */
function fillHeap(): void {
  let objects: { at: number; name: string }[] = [];
  for (let at = 0; at < 3_000_000; at++) {
    objects.push({ at, name: `object ${at}` });
  }
  objects = [];
}

/** Frees what other tests of this worker left behind. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

test('an idle process returns the memory of work that has ended, once', async () => {
  await collectGarbage();
  const collections = vi.spyOn(Session.prototype, 'post');
  // Any use of the processor counts as idle.
  stop = releaseMemoryWhenIdle({ checkMs: 20, idleShare: Number.POSITIVE_INFINITY });
  const before = heapBytes();
  fillHeap();
  expect(heapBytes()).toBeGreaterThan(before + 100 * MEGABYTE);
  await vi.waitFor(() => expect(collections).toHaveBeenCalled(), { timeout: 60_000 });
  await collections.mock.results[0]?.value;
  expect(heapBytes()).toBeLessThan(before + 50 * MEGABYTE);
  expect(collections).toHaveBeenCalledTimes(1);
});

test('memory is not released shortly after a request', async () => {
  const server = await serveOnLoopback((_, response) => void response.end());
  const checks = vi.spyOn(process, 'cpuUsage');
  const collections = vi.spyOn(Session.prototype, 'post');
  stop = releaseMemoryWhenIdle({ checkMs: 20, idleShare: Number.POSITIVE_INFINITY, quietMs: 60_000 });
  await fetch(server.url);
  await server.close();
  fillHeap();
  // Each check measures the time twice.
  await vi.waitFor(() => expect(checks.mock.calls.length).toBeGreaterThan(10), { timeout: 60_000 });
  expect(collections).not.toHaveBeenCalled();
});
