import fc from 'fast-check';
import type { Schema } from './schema.ts';

/** Limits of integer formats. */
const INTEGERS: Record<string, [number, number]> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
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

/** Creates valid numbers of a number or integer schema without `enum`. */
export function validNumber(schema: Schema, isInteger: boolean): fc.Arbitrary<number> {
  const { min, max } = bounds(schema, isInteger);
  const { multipleOf } = schema;
  if (multipleOf !== undefined) {
    const [from, to] = [
      Math.ceil(Math.max(min, -1e6) / multipleOf),
      Math.floor(Math.min(max, 1e6) / multipleOf),
    ];
    return fc.integer({ min: from, max: to }).map((times) => times * multipleOf);
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
