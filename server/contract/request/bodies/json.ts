import type { Fault } from '../../errors.ts';
import { findRounded } from '../../validation/rounded-integers.ts';
import { bodyFault, decode, unsafeText, yieldAfter } from './buffered.ts';
import type { JsonScanner } from './json-scanner.ts';

/**
 * Parses JSON in UTF-8 (RFC 8259, section 8.1). Returns undefined if it is invalid, after adding a fault.
 *
 * @param scanner the scanner of the chunks
 */
export async function parseJson(
  chunks: readonly Buffer[],
  { hasUnicodeEscapes, hasLongNumbers }: JsonScanner,
  faults: Fault[],
): Promise<unknown> {
  let value: unknown;
  let isSuspect: boolean;
  let isRounded: boolean;
  try {
    const json = await decode(chunks);
    // Unsafe values are only possible if one of these occurs; walking every value is slow. The search also joins the
    // decoded parts, which takes half as long as parsing them, so it has a turn of its own.
    isSuspect = json.includes('__proto__') || hasUnicodeEscapes;
    await yieldAfter(json.length);
    value = JSON.parse(json);
    await yieldAfter(json.length);
    isRounded = hasLongNumbers && findRounded(json, [], faults);
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? `is not valid JSON: ${error.message}` : 'is not valid UTF-8';
    faults.push(bodyFault(reason));
    return undefined;
  }
  return isRounded || (isSuspect && findUnsafe(value, [], faults)) ? undefined : value;
}

/**
 * Finds values that are valid JSON but unsafe: the key `__proto__`, the character U+0000, which databases such as
 * PostgreSQL do not store, and unpaired surrogates, which UTF-8 cannot represent. Stops at the first and adds it to
 * `faults`.
 */
export function findUnsafe(value: unknown, path: string[], faults: Fault[]): boolean {
  const report = (message: string, key?: string) => {
    faults.push(bodyFault(message, [...path, ...(key === undefined ? [] : [key])].join('.')));
    return true;
  };
  if (typeof value === 'string') {
    const reason = unsafeText(value);
    return reason !== undefined && report(reason);
  }
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (key === '__proto__' || (typeof key === 'string' && unsafeText(key) !== undefined)) {
      return report('is not a valid field name', key);
    }
    path.push(String(key));
    const isUnsafe = findUnsafe(inner, path, faults);
    path.pop();
    if (isUnsafe) {
      return true;
    }
  }
  return false;
}
