declare const jsonOf: unique symbol;

/** The text of a JSON column. Created by {@link writeJson}, parsed by {@link readJson}. */
export type JsonText<T> = string & { readonly [jsonOf]: T };

/** Serializes a value for a JSON column. `undefined` is not supported: store null instead. */
export function writeJson<T>(value: T): JsonText<T> {
  // The brand exists only at compile time.
  return JSON.stringify(value) as JsonText<T>;
}

/**
 * Parses the value of a JSON column. Columns are never parsed based on their text, since markdown such as `[1]` is also
 * valid JSON.
 */
export function readJson<T>(text: JsonText<T>): T;
export function readJson<T>(text: JsonText<T> | null): T | null;
export function readJson<T>(text: JsonText<T> | null): T | null {
  // The brand guarantees that the text was created from a T.
  return text === null ? null : (JSON.parse(text) as T);
}

/** The stored form of a boolean on both engines. */
export type Flag = 0 | 1;

/** Converts a boolean to its stored form. */
export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}
