import fc from 'fast-check';
import type { Schema } from './schema.ts';

/** Limits of integer formats. */
const INTEGERS: Record<string, [number, number]> = {
  int8: [-128, 127],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint8: [0, 255],
  uint16: [0, 2 ** 16 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, Number.MAX_SAFE_INTEGER],
};

/** Returns the minimum and maximum of a number schema. */
export function bounds(schema: Schema, isInteger: boolean): { min: number; max: number } {
  const [min, max] = INTEGERS[schema.format ?? ''] ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema;
  if (!isInteger) {
    return { min: Math.max(minimum, exclusiveMinimum), max: Math.min(maximum, exclusiveMaximum) };
  }
  return {
    min: Math.max(min, Math.ceil(minimum), Math.floor(exclusiveMinimum) + 1),
    max: Math.min(max, Math.floor(maximum), Math.ceil(exclusiveMaximum) - 1),
  };
}

/** Returns the product of an integer and a number with few decimals: 3 times 0.1 is 0.3. */
export const timesOf = (times: number, factor: number): number =>
  Number((times * factor).toPrecision(MAX_DECIMAL_DIGITS));

/** Number of digits that every number keeps. */
const MAX_DECIMAL_DIGITS = 15;

/** Creates valid numbers of a number or integer schema without `enum`. */
export function validNumber(schema: Schema, isInteger: boolean): fc.Arbitrary<number> {
  const { min, max } = bounds(schema, isInteger);
  const { multipleOf } = schema;
  if (multipleOf !== undefined) {
    const [from, to] = [
      Math.ceil(Math.max(min, -1e6) / multipleOf),
      Math.floor(Math.min(max, 1e6) / multipleOf),
    ];
    return fc.integer({ min: from, max: to }).map((times) => timesOf(times, multipleOf));
  }
  if (isInteger) {
    return fc.integer({ min, max });
  }
  const options = {
    noNaN: true,
    noDefaultInfinity: true,
    ...(min > -Infinity && { min, minExcluded: min === schema.exclusiveMinimum }),
    ...(max < Infinity && { max, maxExcluded: max === schema.exclusiveMaximum }),
  };
  // JSON has no -0.
  return fc.double(options).map((value) => (value === 0 ? 0 : value));
}
