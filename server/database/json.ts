declare const jsonOf: unique symbol;

/** Text of a column that holds `T` as JSON. Only {@link writeJson} makes one, only {@link readJson} opens it. */
export type JsonText<T> = string & { readonly [jsonOf]: T };

/** The JSON text to store for `value`. `undefined` is no JSON: leave the column null instead. */
export function writeJson<T>(value: T): JsonText<T> {
  // The brand exists for the compiler alone: at run time a JsonText is a plain string.
  return JSON.stringify(value) as JsonText<T>;
}

/**
 * The value of a JSON column, parsed. Columns are parsed by name, never by looking at their text: a page's
 * markdown may well read `[1]` and has to stay text.
 */
export function readJson<T>(text: JsonText<T>): T;
export function readJson<T>(text: JsonText<T> | null): T | null;
export function readJson<T>(text: JsonText<T> | null): T | null {
  // The brand says that writeJson made this text from a T.
  return text === null ? null : (JSON.parse(text) as T);
}

/** Booleans are stored as 0 and 1 on both engines. */
export type Flag = 0 | 1;

/** The stored form of a boolean. */
export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}
