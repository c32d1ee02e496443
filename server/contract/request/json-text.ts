import { findUnsafe } from '../bodies/json.ts';
import type { Fault } from '../errors.ts';
import { JsonScanner } from '../json-scanner.ts';
import type { RawValue } from './raw-value.ts';

/** Reads the JSON of a parameter or a field into its value. Returns why it is invalid, or undefined. */
export function addJson(raw: RawValue, text: string): string | undefined {
  if (raw.json) {
    return 'must not be repeated';
  }
  try {
    new JsonScanner().push(Buffer.from(text));
    const value: unknown = JSON.parse(text);
    const faults: Fault[] = [];
    if (findUnsafe(value, [], faults)) {
      return faults[0]?.message;
    }
    raw.json = { value };
    return undefined;
  } catch (error) {
    return error instanceof SyntaxError ? 'is not valid JSON' : 'is nested too deeply or has too many values';
  }
}
