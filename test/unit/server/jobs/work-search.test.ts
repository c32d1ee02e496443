import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MAX_SEARCH_INTERVAL_MS, WorkSearch } from '../../../../server/jobs/work-search.ts';

/** Time of the test before the first search ends. */
const START = Date.parse('2026-03-01T12:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database whose commits are signalled, or polled; and a search over it. */
function searchOf({ signals }: { signals: boolean }) {
  let onChange = () => {};
  const state = { signals, hasChanged: false, isDueIn: Number.POSITIVE_INFINITY, fails: false };
  const searches: number[] = [];
  const errors: unknown[] = [];
  const search = new WorkSearch({
    database: {
      watchWork(callback) {
        onChange = callback;
        return {
          isSignalled: () => state.signals,
          hasChanged: () => {
            const { hasChanged } = state;
            state.hasChanged = false;
            return hasChanged;
          },
          stop: () => {},
        };
      },
    },
    clock: () => new Date(),
    log: { debug() {}, info() {}, warn() {}, error: (details) => errors.push(details) },
    search: async () => {
      searches.push(Date.now() - START);
      if (state.fails) {
        throw new Error('The search failed.');
      }
      return Date.now() + state.isDueIn;
    },
    onEnd: () => {},
    failure: 'failed',
  });
  return { state, search, searches, errors, signal: () => onChange() };
}

const MINUTE_MS = 60_000;

test.each([{ signals: true }, { signals: false }])('searches when work becomes due: %o', async (database) => {
  const { state, search, searches } = searchOf(database);
  state.isDueIn = 12_345;
  search.start();
  await vi.advanceTimersByTimeAsync(3 * 12_345);
  expect(searches).toEqual([0, 12_345, 2 * 12_345, 3 * 12_345]);
  await search.stop();
});

test.each([{ signals: true }, { signals: false }])('searches rarely without work: %o', async (database) => {
  const { search, searches } = searchOf(database);
  search.start();
  await vi.advanceTimersByTimeAsync(2 * MAX_SEARCH_INTERVAL_MS);
  expect(searches).toEqual([0, MAX_SEARCH_INTERVAL_MS, 2 * MAX_SEARCH_INTERVAL_MS]);
  await search.stop();
});

test('sets no timer for polls while the database signals commits', async () => {
  const { search } = searchOf({ signals: true });
  search.start();
  await vi.advanceTimersByTimeAsync(0);
  await vi.advanceTimersToNextTimerAsync();
  expect(Date.now() - START).toBe(MAX_SEARCH_INTERVAL_MS);
  await search.stop();
});

test('searches soon after a signal, and once for many', async () => {
  const { search, searches, signal } = searchOf({ signals: true });
  search.start();
  await vi.advanceTimersByTimeAsync(5000);
  signal();
  signal();
  await vi.advanceTimersByTimeAsync(200);
  expect(searches).toHaveLength(2);
  // However many commits there are, a process searches only as often as one that polls.
  for (let elapsed = 0; elapsed < 10_000; elapsed += 50) {
    signal();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(searches.length).toBeGreaterThanOrEqual(11);
  expect(searches.length).toBeLessThanOrEqual(13);
  await search.stop();
});

test('polls a database without signals for changes', async () => {
  const { state, search, searches } = searchOf({ signals: false });
  search.start();
  await vi.advanceTimersByTimeAsync(4500);
  state.hasChanged = true;
  await vi.advanceTimersByTimeAsync(500);
  expect(searches).toEqual([0, 5000]);
  await search.stop();
});

test.each([
  { name: 'after a failure', change: { fails: true } },
  { name: 'for work that is due but cannot start', change: { isDueIn: -1 } },
])('polls $name', async ({ change }) => {
  const { state, search, searches } = searchOf({ signals: true });
  Object.assign(state, change);
  search.start();
  await vi.advanceTimersByTimeAsync(3000);
  expect(searches).toEqual([0, 1000, 2000, 3000]);
  await search.stop();
});

test('searches again if it is woken during a search, and never after it was stopped', async () => {
  const { search, searches, errors } = searchOf({ signals: false });
  search.start();
  search.wake();
  search.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(searches).toEqual([0, 0]);
  await search.stop();
  search.wake();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(searches).toEqual([0, 0]);
  expect(errors).toEqual([]);
});
