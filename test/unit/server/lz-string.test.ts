import fc from 'fast-check';
import lzString from 'lz-string';
import { describe, expect, test } from 'vitest';
import { decompress } from '../../../server/platform/integrations/rendering/rules/lz-string.ts';

describe('decompress', () => {
  test('returns what lz-string compressed', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2000 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '{', '"', 'é', '\u4e2d', '\ud800'), maxLength: 5000 }),
      fc.json(),
    );
    fc.assert(
      fc.property(text, (original) => {
        expect(decompress(lzString.compressToEncodedURIComponent(original), 1_048_576)).toBe(original);
      }),
    );
  });

  test('accepts a text of the maximum length, and no longer one', () => {
    const compressed = lzString.compressToEncodedURIComponent('x'.repeat(1000));
    expect(decompress(compressed, 1000)).toBe('x'.repeat(1000));
    expect(decompress(compressed, 999)).toBeUndefined();
  });

  test('rejects any other text without an exception', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const result = decompress(text, 1000);
        expect(result === undefined || result.length <= 1000).toBe(true);
      }),
    );
    for (const text of [
      '',
      ' ',
      '%',
      'A',
      'zzzz',
      lzString.compressToEncodedURIComponent('hello').slice(0, -3),
    ]) {
      expect([text, decompress(text, 1000)]).toEqual([text, undefined]);
    }
  });
});
