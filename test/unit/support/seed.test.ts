import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testSeed } from '../../support/seed.ts';

test('fast-check uses the seed of the run everywhere', () => {
  expect(fc.readConfigureGlobal().seed).toBe(testSeed());
  expect(fc.sample(fc.nat())).toEqual(fc.sample(fc.nat(), { seed: testSeed() }));
});

test('uses the same seed for every run by default', () => {
  expect(testSeed('')).toBe(1);
  expect(testSeed('-7')).toBe(-7);
  expect(testSeed('random')).not.toBe(testSeed('random'));
});

test.each(['x', '1.5', '4294967296'])('rejects %s as a seed', (value) => {
  expect(() => testSeed(value)).toThrow(`COLOPHON_TEST_SEED is "${value}". Set it to a whole number`);
});
