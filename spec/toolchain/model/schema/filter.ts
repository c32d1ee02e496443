import fc from 'fast-check';
import { ifUsable, UnusableSchema } from './keywords.ts';

/** Sizes of the samples to search for a value that passes. Most often, the first value passes. */
const SAMPLE_SIZES = [1, 8];
/** Number of values to try before reporting that none exists. */
const MAX_TRIES = 400;

/** Returns whether a value of a small sample passes, the same for each call. */
export function somePass<Value>(values: fc.Arbitrary<Value>, passes: (value: Value) => boolean): boolean {
  // With the same seed, a sample starts with the values of a smaller one.
  return SAMPLE_SIZES.some((numRuns) => fc.sample(values, { numRuns, seed: 1 }).some(passes));
}

/**
 * Filters values. The filter of fast-check would not terminate if no value passes, and is slow if few do: in this case
 * only the sampled values are used.
 * @throws {UnusableSchema} with the message if no sampled value passes
 */
export function filterValues<Value>(
  values: fc.Arbitrary<Value>,
  passes: (value: Value) => boolean,
  message: () => string,
): fc.Arbitrary<Value> {
  if (somePass(values, passes)) {
    return values.filter(passes);
  }
  const passing = fc.sample(values, { numRuns: MAX_TRIES, seed: 2 }).filter(passes);
  if (passing.length === 0) {
    throw new UnusableSchema(message());
  }
  return passing.length > MAX_TRIES / 40 ? values.filter(passes) : fc.constantFrom(...passing);
}

/** Filters values; returns undefined if no value passes. */
export const filterValuesIfAny = <Value>(
  values: fc.Arbitrary<Value>,
  passes: (value: Value) => boolean,
): fc.Arbitrary<Value> | undefined => ifUsable(() => filterValues(values, passes, () => ''));
