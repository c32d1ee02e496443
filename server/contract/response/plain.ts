import { isObject } from '../json-values.ts';

/**
 * Returns whether JSON represents a value exactly, so that serializing and parsing it returns an equal value: no dates,
 * undefined properties, instances of classes, or numbers that JSON does not have. The value must not be cyclic.
 */
export function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) {
    for (const item of value) {
      if (!isPlain(item)) {
        return false;
      }
    }
    return Object.getPrototypeOf(value) === Array.prototype;
  }
  if (isObject(value)) {
    // Creates no array, unlike `Object.values`.
    for (const name in value) {
      if (!isPlain(value[name])) {
        return false;
      }
    }
    return Object.getPrototypeOf(value) === Object.prototype;
  }
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
