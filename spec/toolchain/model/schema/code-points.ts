import fc from 'fast-check';

const SURROGATES_START = 0xd800;
const SURROGATE_COUNT = 0x800;
const MAX_CODE_POINT = 0x10ffff;

/**
 * Any code point except surrogates, as a text. Draws the same texts as `fc.string({ unit: 'binary' })` of one code
 * point, which lists all 1.1 million of them in memory first and takes a second for it.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: MAX_CODE_POINT - SURROGATE_COUNT }).map(
  (index) => String.fromCodePoint(index < SURROGATES_START ? index : index + SURROGATE_COUNT),
  (text) => {
    const value = typeof text === 'string' ? (text.codePointAt(0) ?? -1) : -1;
    if (value < 0 || text !== String.fromCodePoint(value) || isSurrogate(value)) {
      throw new Error('The value is not a single code point.');
    }
    return value < SURROGATES_START ? value : value - SURROGATE_COUNT;
  },
);

function isSurrogate(value: number): boolean {
  return value >= SURROGATES_START && value < SURROGATES_START + SURROGATE_COUNT;
}
