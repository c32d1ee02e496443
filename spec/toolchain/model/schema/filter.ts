import fc from 'fast-check';
import { UnusableSchema } from './keywords.ts';

/** Number of values to try before reporting that none exists. */
const MAX_TRIES = 400;

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
  if (fc.sample(values, { numRuns: 8, seed: 1 }).some(passes)) {
    return values.filter(passes);
  }
  const passing = fc.sample(values, { numRuns: MAX_TRIES, seed: 2 }).filter(passes);
  if (passing.length === 0) {
    throw new UnusableSchema(message());
  }
  return passing.length > MAX_TRIES / 40 ? values.filter(passes) : fc.constantFrom(...passing);
}

/** Filters values; returns undefined if no value passes. */
export function filterValuesIfAny<Value>(
  values: fc.Arbitrary<Value>,
  passes: (value: Value) => boolean,
): fc.Arbitrary<Value> | undefined {
  try {
    return filterValues(values, passes, () => '');
  } catch (error) {
    if (error instanceof UnusableSchema) {
      return undefined;
    }
    throw error;
  }
}
