import fc from 'fast-check';
import { UnusableSchema } from './keywords.ts';

/** So many values are tried before it is said that there is none. */
const MAX_TRIES = 400;

/**
 * The values that pass a test. fast-check's own filter would look for ever where none does, and for long where few
 * do: then only those that were found are made.
 * @throws {UnusableSchema} with the message where none passes in some hundred tries
 */
export function sift<Value>(
  values: fc.Arbitrary<Value>,
  passes: (value: Value) => boolean,
  message: () => string,
): fc.Arbitrary<Value> {
  if (fc.sample(values, { numRuns: 8, seed: 1 }).some(passes)) return values.filter(passes);
  const found = fc.sample(values, { numRuns: MAX_TRIES, seed: 2 }).filter(passes);
  if (found.length === 0) throw new UnusableSchema(message());
  return found.length > MAX_TRIES / 40 ? values.filter(passes) : fc.constantFrom(...found);
}

/** The same; undefined where no value passes. */
export function sifted<Value>(
  values: fc.Arbitrary<Value>,
  passes: (value: Value) => boolean,
): fc.Arbitrary<Value> | undefined {
  try {
    return sift(values, passes, () => '');
  } catch (error) {
    if (error instanceof UnusableSchema) return undefined;
    throw error;
  }
}
