/** Access to unvalidated JSON: a specification contains whatever its authors wrote. */
import { isObject } from '../../contract/json-values.ts';

/** A JSON object with unvalidated values. */
export type JsonObject = { readonly [name: string]: unknown };

/** Returns a value as an object; an empty one if it is not an object. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Returns a value as a list; an empty one if it is not a list. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the non-empty strings of a list. */
export const asTexts = (value: unknown): string[] =>
  asList(value).filter((item): item is string => typeof item === 'string' && item !== '');

/** Returns a trimmed string; '' for other values. Numbers, such as a version 1.0, are converted. */
export function asText(value: unknown): string {
  if (typeof value === 'number') {
    return String(value);
  }
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '').trim() : '';
}

/** Returns the value of an own property. */
export const fieldOf = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
