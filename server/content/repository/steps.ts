/**
 * Work in short steps, so that who runs it can let other work go on between them: each `next` does one step, and the
 * last one returns the result. A step is at most a page.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** How many items are sorted in one step. */
const SORTED_PER_STEP = 1000;

/** The items in order, like `toSorted`. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Steps<Item[]> {
  if (items.length <= SORTED_PER_STEP) {
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
    if (sorted.length % SORTED_PER_STEP === 0) yield;
  }
  return sorted.concat(right.slice(at));
}

/** Does all steps in one go: for what is known to be small, and in threads. */
export function allSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
