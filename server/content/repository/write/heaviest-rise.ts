/**
 * Returns the indexes of the strictly increasing subsequence with the greatest total weight.
 *
 * @param numbers distinct, from 0 to below `limit`
 * @param weights positive, one for each number
 */
export function heaviestRise(
  numbers: readonly number[],
  weights: readonly number[],
  limit: number,
): number[] {
  const totals: number[] = [];
  const before: number[] = [];
  // A Fenwick tree: each node is the index of the heaviest subsequence that ends in its range of numbers.
  const heaviest = new Array<number>(limit + 1).fill(-1);
  const totalOf = (at: number) => totals[at] ?? 0;
  const heaviestBelow = (number: number) => {
    let best = -1;
    for (let node = number; node > 0; node -= node & -node) {
      const at = heaviest[node] ?? -1;
      best = totalOf(at) > totalOf(best) ? at : best;
    }
    return best;
  };
  numbers.forEach((number, at) => {
    const previous = heaviestBelow(number);
    before.push(previous);
    totals.push(totalOf(previous) + (weights[at] ?? 0));
    for (let node = number + 1; node <= limit; node += node & -node) {
      if (totalOf(at) > totalOf(heaviest[node] ?? -1)) {
        heaviest[node] = at;
      }
    }
  });
  const rise: number[] = [];
  for (let at = heaviestBelow(limit); at !== -1; at = before[at] ?? -1) {
    rise.push(at);
  }
  return rise.reverse();
}
