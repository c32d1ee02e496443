import { parsePointer } from '../../../../server/contract/json-values.ts';
import type { Json } from '../../document.ts';
import { isObject } from '../../document.ts';

/** Quotes a text as one word for bash. */
export const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the variable of a header that every request has: `HEADER_X_TENANT`. */
export const headerVariable = (name: string): string => `HEADER_${name.replaceAll(/\W/g, '_').toUpperCase()}`;

/** Returns a valid name of a bash variable that resembles a text. */
export function variableName(text: string): string {
  const name = text
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return /^[a-z]/.test(name) ? name : `value${name === '' ? '' : `_${name}`}`;
}

/**
 * Converts a JSON pointer to a jq filter.
 * @param json value that the pointer refers to; distinguishes array indexes from numeric names
 */
export function jqFilter(pointer: string, json?: Json): string {
  let value = json;
  let filter = '';
  for (const part of parsePointer(pointer)) {
    const index = /^\d+$/.test(part) && !isObject(value);
    if (index) {
      filter += `[${part}]`;
    } else {
      filter += /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    }
    value = Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined;
  }
  return filter.startsWith('.') ? filter : `.${filter}`;
}
