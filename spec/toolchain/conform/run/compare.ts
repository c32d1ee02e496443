import { isObject, type Json, type JsonObject } from '../../document.ts';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

/** Whether two values say the same: instants may be written in two ways, and what is not set may be left out or null. */
export function alike(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other || (isEmpty(one) && isEmpty(other))) return true;
  if (typeof one === 'string' && typeof other === 'string')
    return DATE_TIME.test(one) && DATE_TIME.test(other) && Date.parse(one) === Date.parse(other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => alike(item, other[at]));
  if (isObject(one) && isObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => alike(one[name], other[name]));
  }
  return false;
}

const isEmpty = (value: Json | undefined) => value === undefined || value === null;

/** The first of some fields in which two objects differ. */
export function difference(
  names: Iterable<string>,
  one: JsonObject,
  other: JsonObject,
): { name: string; one: Json | undefined; other: Json | undefined } | undefined {
  for (const name of names)
    if (!alike(one[name], other[name])) return { name, one: one[name], other: other[name] };
  return undefined;
}

/** A value for a message, short. */
export function brief(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
