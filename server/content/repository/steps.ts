/**
 * Work in short steps, between which other work can run: each `next` performs one step, and the last one returns the
 * result. A step processes at most one page.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Number of items sorted in one step. */
const SORTED_ITEMS_PER_STEP = 1000;

/** Sorts items like `toSorted`, in steps. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (first: Item, second: Item) => number,
): Steps<Item[]> {
  if (items.length <= SORTED_ITEMS_PER_STEP) {
    yield;
    return items.toSorted(compare);
  }
  const half = items.length >>> 1;
  const left = yield* sortInSteps(items.slice(0, half), compare);
  const right = yield* sortInSteps(items.slice(half), compare);
  const sorted: Item[] = [];
  let at = 0;
  for (const item of left) {
    for (let next = right[at]; next !== undefined && compare(next, item) < 0; next = right[at]) {
      sorted.push(next);
      at += 1;
    }
    sorted.push(item);
    if (sorted.length % SORTED_ITEMS_PER_STEP === 0) {
      yield;
    }
  }
  return sorted.concat(right.slice(at));
}

/** Performs all steps at once: for small inputs, and in threads. */
export function allSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
  }
}
