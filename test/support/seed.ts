/** Seed of a run that specifies none, so that all such runs draw the same values. */
const DEFAULT_SEED = 1;

/**
 * Returns the seed of random values in the tests.
 *
 * @param value of `COLOPHON_TEST_SEED`: a whole number, or `random` for a new seed with each call
 * @throws Error if it is neither
 */
export function testSeed(value: string | undefined = process.env.COLOPHON_TEST_SEED): number {
  if (value === undefined || value === '') {
    return DEFAULT_SEED;
  }
  if (value === 'random') {
    return Math.floor(Math.random() * 2 ** 31);
  }
  const seed = Number(value);
  // fast-check reports the seed of a failure as a signed 32-bit integer.
  if (seed === (seed | 0)) {
    return seed;
  }
  throw new Error(`COLOPHON_TEST_SEED is "${value}". Set it to a whole number of 32 bits, or to "random".`);
}

/** Number of values to try a property with: `count` times `COLOPHON_TEST_RUNS`. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * Number(process.env.COLOPHON_TEST_RUNS || 1)));
}
