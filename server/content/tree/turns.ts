import { setImmediate } from 'node:timers/promises';
import { isInTransaction } from '../../database/database.ts';

/** How long work goes on before requests get their turn, in milliseconds. */
const TURN_MS = 5;

let started = performance.now();

/** Whether work has gone on for so long that it should be interrupted by {@link nextTurn}. */
export const isTurnOver = (): boolean => performance.now() - started > TURN_MS;

/**
 * Lets requests go on that wait, before work that is long but made of short steps does. In a transaction it goes on at
 * once: writers of all processes wait for its end.
 */
export async function nextTurn(): Promise<void> {
  if (!isInTransaction()) await setImmediate();
  started = performance.now();
}

/** Does work that comes in short steps, in as many turns as it takes. */
export async function finishInTurns<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (isTurnOver()) await nextTurn();
  }
}

/** Maps items like `Array.map`, in as many turns as it takes. */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    if (isTurnOver()) await nextTurn();
  }
  return results;
}
