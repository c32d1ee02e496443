import { brief } from '../../../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject } from '../../../document.ts';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

/** Returns whether two values are equivalent: times may be formatted differently, and unset fields omitted or null. */
export function alike(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right || (isEmpty(left) && isEmpty(right))) {
    return true;
  }
  if (typeof left === 'string' && typeof right === 'string') {
    return DATE_TIME.test(left) && DATE_TIME.test(right) && Date.parse(left) === Date.parse(right);
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => alike(item, right[at]));
  }
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].every((name) => alike(left[name], right[name]));
  }
  return false;
}

/** Whether a field has no value. */
export const isEmpty = (value: Json | undefined) => value === undefined || value === null;

/** Returns the first field that differs between two objects. */
export function difference(
  names: Iterable<string>,
  left: JsonObject,
  right: JsonObject,
): { name: string; left: Json | undefined; right: Json | undefined } | undefined {
  for (const name of names) {
    if (!alike(left[name], right[name])) {
      return { name, left: left[name], right: right[name] };
    }
  }
  return undefined;
}

/** Formats a value of a field briefly for messages. */
export const briefField = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : brief(value);
