import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testSeed } from '../../support/seed.ts';

test('what fast-check draws follows from the seed of the run, everywhere', () => {
  expect(fc.readConfigureGlobal().seed).toBe(testSeed());
  expect(fc.sample(fc.nat())).toEqual(fc.sample(fc.nat(), { seed: testSeed() }));
});

test('the seed is the same for every run, unless another one is asked for', () => {
  expect(testSeed('')).toBe(1);
  expect(testSeed('-7')).toBe(-7);
  expect(testSeed('random')).not.toBe(testSeed('random'));
});

test.each(['x', '1.5', '4294967296'])('%s is rejected as a seed', (value) => {
  expect(() => testSeed(value)).toThrow(`COLOPHON_TEST_SEED is "${value}". Set it to a whole number`);
});
