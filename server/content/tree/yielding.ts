import { setImmediate } from 'node:timers/promises';
import { isInTransaction } from '../../database/transactions.ts';

/** Maximum duration of work in milliseconds before requests are processed. */
const YIELD_INTERVAL_MS = 5;

let started = performance.now();

/** Returns whether work has taken so long that it should be interrupted by {@link yieldToEventLoop}. */
export const isYieldDue = (): boolean => performance.now() - started > YIELD_INTERVAL_MS;

/**
 * Lets waiting requests proceed before long work that consists of short steps continues. Continues immediately in a
 * transaction, because the writers of all processes wait for its end.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (!isInTransaction()) {
    await setImmediate();
  }
  started = performance.now();
}

/** Executes work that consists of short steps, in as many turns as needed. */
export async function runYielding<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
}

/** Maps items like `Array.map`, in as many turns as needed. */
export async function mapYielding<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  return results;
}
