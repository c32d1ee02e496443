import { isObject, type Json } from '../../document.ts';
import type { Direction } from '../rules/rule.ts';

/** Serializes a value with sorted keys, so that equal values have equal texts. */
export function canonical(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** Participle for the allowed values of a direction. */
export function allowed(direction: Direction): string {
  return direction === 'request' ? 'accepted' : 'sent';
}

/** Message for both directions: values are neither accepted nor sent, but allowed. */
export function withoutDirection(message: string): string {
  return message
    .replace(/ (?:accepted|sent) now(?=[.:])/, ' allowed now')
    .replace(/no longer (?:accepted|sent)\.$/, 'no longer allowed.');
}
