/** Access to JSON whose form nobody vouches for: a specification is what its authors wrote. */

/** A JSON object, its values still unchecked. */
export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as an object; an empty one where it is none. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** A value as a list; an empty one where it is none. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The texts of a list. */
export const asTexts = (value: unknown): string[] =>
  asList(value).filter((item): item is string => typeof item === 'string' && item !== '');

/** A text without space around it; '' for anything else. Numbers, such as a version 1.0, count as texts. */
export function asText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '').trim() : '';
}

/** A field that the object itself has. */
export const fieldOf = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
