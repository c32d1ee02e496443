import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestIncreasingSubsequence, mergeOrder } from '../../../server/content/merge/order.ts';

const all = (id: string) => id !== '';
const merge = (ancestor: string, primary: string, branch: string, belongs = all) =>
  mergeOrder({ ancestor: [...ancestor], primary: [...primary], branch: [...branch] }, belongs).join('');

describe('lists of ids', () => {
  test.each([
    ['take what either side adds, the primary’s first', 'abc', 'aPbc', 'aBQbcR', 'aPBQbcR'],
    ['have what both sides add once, with the rest around it', '', 'PxQy', 'xBy', 'PxQBy'],
    ['take what either side moves', 'abcdef', 'bcadef', 'abcfde', 'bcafde'],
    ['have what both sides move where the branch puts it', 'abcdef', 'bcdefa', 'bcadef', 'bcadef'],
    ['keep an addition where it was, though its neighbor moved', 'abc', 'abPc', 'bac', 'baPc'],
  ])('%s', (_, ancestor, primary, branch, merged) => {
    expect(merge(ancestor, primary, branch)).toBe(merged);
  });

  test('lack ids that do not belong to them, which still mark a position', () => {
    expect(merge('abc', 'abPc', 'aBbc', (id) => id !== 'b')).toBe('aBPc');
  });
});

describe('for any lists', () => {
  const list = fc
    .shuffledSubarray([...'abcdefgh'])
    .chain((ids) => fc.integer({ min: 0, max: ids.length }).map((length) => ids.slice(0, length)));

  test('each id is in the result once, and one changed side wins', () => {
    fc.assert(
      fc.property(list, list, list, (ancestor, primary, branch) => {
        const expected = new Set([...primary, ...branch]);
        const merged = mergeOrder({ ancestor, primary, branch }, (id) => expected.has(id));
        expect(merged.toSorted()).toEqual([...expected].sort());
        const inBranch = (id: string) => branch.includes(id);
        expect(mergeOrder({ ancestor, primary: ancestor, branch }, inBranch)).toEqual(branch);
        expect(mergeOrder({ ancestor, primary: branch, branch: ancestor }, inBranch)).toEqual(branch);
        expect(mergeOrder({ ancestor, primary: branch, branch }, inBranch)).toEqual(branch);
      }),
      { numRuns: 1000 },
    );
  });

  test('a longest increasing subsequence increases, and none is longer', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(50), { maxLength: 9 }), (numbers) => {
        const rise = longestIncreasingSubsequence(numbers);
        const rises = (part: readonly number[]) =>
          part.every((at, index) => index === 0 || (numbers[part[index - 1] ?? 0] ?? 0) < (numbers[at] ?? 0));
        expect(rises(rise)).toBe(true);
        for (let chosen = 0; chosen < 2 ** numbers.length; chosen++) {
          const part = [...numbers.keys()].filter((at) => chosen & (1 << at));
          if (part.length > rise.length) {
            expect(rises(part)).toBe(false);
          }
        }
      }),
    );
  });
});
