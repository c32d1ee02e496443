import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../document.ts';
import { canonical } from './form/canonical.ts';

/** Whether defaults are equal. Authors write the default of a text as a number or boolean too. */
export function isSameDefault(base: Json | undefined, head: Json | undefined): boolean {
  const isPlain = (value: Json | undefined) =>
    value !== undefined && value !== null && typeof value !== 'object';
  return isPlain(base) && isPlain(head) ? String(base) === String(head) : isDeepStrictEqual(base, head);
}

/** Message for a changed default. */
export function defaultMessage(base: Json | undefined, head: Json | undefined): string {
  const text = (value: Json | undefined) => (value === undefined ? 'none' : canonical(value));
  return `The default changed from ${text(base)} to ${text(head)}.`;
}
