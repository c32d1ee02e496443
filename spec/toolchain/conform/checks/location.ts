import { parsePointer } from '../../../../server/contract/json-values.ts';
import type { Operation } from '../../model/contract/contract.ts';
import type { AnySchema, SchemaSet } from '../../model/schema/schema.ts';
import { walk } from '../../model/schema/walk.ts';

/**
 * Names a location in a body relative to the innermost named schema: `Space/title`. One mistake has the same name
 * wherever the schema is used. Indexes and keys of maps become `*`.
 * @param fallback name of the body if no schema has a name
 */
export function locationOf(
  schemas: SchemaSet,
  schema: AnySchema,
  value: unknown,
  pointer: string,
  fallback: string,
): string {
  const parts = parsePointer(pointer);
  const names = [...parts];
  let owner = fallback;
  let ownerDepth = 0;
  walk(schemas, schema, value, ({ path, schemas: applying }) => {
    if (path.length > parts.length || path.some((part, index) => String(part) !== parts[index])) {
      return;
    }
    const reference = applying.find(({ $ref }) => $ref !== undefined)?.$ref;
    if (reference !== undefined) {
      owner = reference.replace(/^.*\//, '');
      ownerDepth = path.length;
    }
    const next = parts[path.length];
    if (next === undefined || path.length === parts.length - 1) {
      return;
    }
    if (!applying.some(({ properties }) => properties && Object.hasOwn(properties, next))) {
      names[path.length] = '*';
    }
  });
  return [owner, ...names.slice(ownerDepth).map((name) => (/^\d+$/.test(name) ? '*' : name))].join('/');
}

/** Formats an operation for reports: `GET /widgets/{id}`. */
export const operationLine = ({ method, path }: Operation): string => `${method} ${path}`;

/** Truncates a text and escapes control characters. */
export function truncate(text: string, maxLength = 120): string {
  const shown = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, escapeCharacter);
  return shown.length > maxLength ? `${shown.slice(0, maxLength).toWellFormed()}…` : shown;
}

const escapeCharacter = (character: string): string =>
  ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[character] ??
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
