import type { Operation } from '../contract/contract.ts';
import type { AnySchema, SchemaSet } from '../schema/schema.ts';
import { walk } from '../schema/walk.ts';
import { partsOf } from '../wire/request.ts';

/**
 * Names a place in a body by the innermost schema with a name that it is in: `Space/title`. So one mistake has one
 * name wherever the schema is used. Indexes and names of the run become `*`.
 * @param otherwise the name of the whole where no schema has one
 */
export function placeOf(
  schemas: SchemaSet,
  schema: AnySchema,
  value: unknown,
  pointer: string,
  otherwise: string,
): string {
  const parts = partsOf(pointer);
  const names = [...parts];
  let owner = otherwise;
  let from = 0;
  walk(schemas, schema, value, ({ path, schemas: applying }) => {
    if (path.length > parts.length || path.some((part, index) => String(part) !== parts[index])) return;
    const reference = applying.find(({ $ref }) => $ref !== undefined)?.$ref;
    if (reference !== undefined) {
      owner = reference.replace(/^.*\//, '');
      from = path.length;
    }
    const next = parts[path.length];
    if (next === undefined || path.length === parts.length - 1) return;
    if (!applying.some(({ properties }) => properties && Object.hasOwn(properties, next)))
      names[path.length] = '*';
  });
  return [owner, ...names.slice(from).map((name) => (/^\d+$/.test(name) ? '*' : name))].join('/');
}

/** An operation for people: `GET /things/{id}`. */
export const lineOf = ({ method, path }: Operation): string => `${method} ${path}`;

/** Cuts a text, and writes what a terminal or a log would not show as escapes. */
export function short(text: string, most = 120): string {
  const shown = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, escaped);
  return shown.length > most ? `${shown.slice(0, most).toWellFormed()}…` : shown;
}

const escaped = (sign: string): string =>
  ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[sign] ??
  `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
