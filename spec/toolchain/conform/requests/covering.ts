/** Choice of a class for each parameter, by index. */
export type Choice = readonly number[];

/**
 * Returns choices that cover every pair of classes of two parameters at least once (pairwise testing). Each choice
 * starts with an uncovered pair, and adds the classes with the most uncovered pairs.
 *
 * @param counts number of classes of each parameter
 */
export function coveringChoices(counts: readonly number[]): readonly Choice[] {
  const key = counts.join();
  const choices = cache.get(key) ?? findChoices(counts);
  cache.set(key, choices);
  return choices;
}

const cache = new Map<string, readonly Choice[]>();

function findChoices(counts: readonly number[]): Choice[] {
  const uncovered = new Set(pairsOf(counts));
  const choices: Choice[] = [];
  for (const [first] of uncovered.entries()) {
    const chosen: (number | undefined)[] = counts.map(() => undefined);
    for (const [parameter, value] of partsOf(first)) {
      chosen[parameter] = value;
    }
    for (const [parameter, count] of counts.entries()) {
      chosen[parameter] ??= bestClass(parameter, count, chosen, uncovered, choices.length);
    }
    const choice = chosen.map((value) => value ?? 0);
    for (const pair of pairsIn(choice)) {
      uncovered.delete(pair);
    }
    choices.push(choice);
  }
  return choices;
}

function bestClass(
  parameter: number,
  count: number,
  chosen: readonly (number | undefined)[],
  uncovered: ReadonlySet<string>,
  rotation: number,
): number {
  let best = { value: 0, gain: -1 };
  for (let offset = 0; offset < count; offset += 1) {
    const value = (offset + rotation) % count;
    const gain = chosen.filter(
      (other, at) => other !== undefined && uncovered.has(pairOf(at, other, parameter, value)),
    ).length;
    if (gain > best.gain) {
      best = { value, gain };
    }
  }
  return best.value;
}

/** Returns all pairs of classes of two parameters. */
function pairsOf(counts: readonly number[]): string[] {
  return counts.flatMap((count, left) =>
    counts
      .slice(left + 1)
      .flatMap((other, offset) =>
        Array.from({ length: count * other }, (_, at) =>
          pairOf(left, Math.floor(at / other), left + 1 + offset, at % other),
        ),
      ),
  );
}

/** Returns the pairs of a choice. */
export const pairsIn = (choice: Choice): string[] =>
  choice.flatMap((value, left) =>
    choice.slice(left + 1).map((other, offset) => pairOf(left, value, left + 1 + offset, other)),
  );

/** Returns the number of pairs of classes of two parameters. */
export const pairCount = (counts: readonly number[]): number =>
  counts.reduce(
    (total, count, at) => total + counts.slice(at + 1).reduce((sum, other) => sum + count * other, 0),
    0,
  );

function pairOf(left: number, value: number, right: number, other: number): string {
  return left < right ? `${left}.${value} ${right}.${other}` : `${right}.${other} ${left}.${value}`;
}

const partsOf = (pair: string): [parameter: number, value: number][] =>
  pair.split(' ').map((part): [number, number] => {
    const [parameter, value] = part.split('.');
    return [Number(parameter), Number(value)];
  });
