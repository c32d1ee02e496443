import type { Fault } from '../errors.ts';
import { bodyFault } from '../request/bodies/buffered.ts';
import { isRounded } from './decimals.ts';

/** An integer of a JSON text that parsing rounds. */
class RoundedInteger {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What `JSON.parse` passes to a reviver: the text of a value that is not an object or a list. */
interface ReviverContext {
  source?: string;
}

/**
 * Finds integers that parsing a JSON text rounds, and adds the first to `faults`. Takes several times as long as parsing.
 *
 * @param path path of the value in the body
 */
export function findRounded(json: string, path: readonly string[], faults: Fault[]): boolean {
  let hasRounded = false;
  const value: unknown = JSON.parse(json, (_key, parsed: unknown, ...[context]: ReviverContext[]) => {
    const source = context?.source ?? '';
    if (typeof parsed !== 'number' || !isRounded(source)) {
      return parsed;
    }
    hasRounded = true;
    return new RoundedInteger(source);
  });
  return hasRounded && reportFirst(value, [...path], faults);
}

function reportFirst(value: unknown, path: string[], faults: Fault[]): boolean {
  if (value instanceof RoundedInteger) {
    const { text } = value;
    faults.push(
      bodyFault(
        `must be a number that 64 bits represent exactly: ${text.slice(0, MAX_SHOWN_CHARACTERS)} would be rounded to ${Number(text)}`,
        path.join('.'),
      ),
    );
    return true;
  }
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return Object.entries(value).some(([key, inner]) => {
    path.push(key);
    const isFound = reportFirst(inner, path, faults);
    path.pop();
    return isFound;
  });
}

/** Maximum number of digits in a message. */
const MAX_SHOWN_CHARACTERS = 40;
