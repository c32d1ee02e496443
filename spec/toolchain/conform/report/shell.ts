import type { Json } from '../../document.ts';
import { isObject } from '../../document.ts';
import { partsOf } from '../wire/request.ts';

/** A word for bash that stands for exactly this text. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** What a variable of bash may be called that reminds of a text. */
export function variableName(text: string): string {
  const name = text
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return /^[a-z]/.test(name) ? name : `value${name === '' ? '' : `_${name}`}`;
}

/**
 * A filter of jq for a JSON pointer.
 * @param json the value that it leads into, which tells the indexes of arrays from names that look like them
 */
export function jqFilter(pointer: string, json?: Json): string {
  let value = json;
  let filter = '';
  for (const part of partsOf(pointer)) {
    const index = /^\d+$/.test(part) && !isObject(value);
    if (index) filter += `[${part}]`;
    else filter += /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    value = Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined;
  }
  return filter.startsWith('.') ? filter : `.${filter}`;
}
