import type { Fault } from '../../errors.ts';
import { findRounded } from '../../validation/rounded-integers.ts';
import { bodyFault } from '../bodies/buffered.ts';
import { findUnsafe } from '../bodies/json.ts';
import { JsonScanner } from '../bodies/json-scanner.ts';
import type { RawValue } from './raw-value.ts';

/**
 * Parses the JSON of a parameter or field. Adds the fault of invalid JSON, and of values that are valid but unsafe or
 * rounded.
 *
 * @param scanner what scanned the text
 * @param path names of the members that contain the value
 */
export function parseJsonText(
  text: string,
  { hasLongNumbers }: JsonScanner,
  path: readonly string[],
  faults: Fault[],
): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    faults.push(bodyFault('is not valid JSON', path.join('.')));
    return undefined;
  }
  if (!(hasLongNumbers && findRounded(text, path, faults))) {
    findUnsafe(value, [...path], faults);
  }
  return value;
}

/** Reads the JSON of a parameter or a field into its value. Returns why it is invalid, or undefined. */
export function addJson(raw: RawValue, text: string): string | undefined {
  if (raw.json) {
    return 'must not be repeated';
  }
  const scanner = new JsonScanner();
  try {
    scanner.push(Buffer.from(text));
  } catch {
    return 'is nested too deeply or has too many values';
  }
  const faults: Fault[] = [];
  const value = parseJsonText(text, scanner, [], faults);
  if (faults[0]) {
    return faults[0].message;
  }
  raw.json = { value };
  return undefined;
}
