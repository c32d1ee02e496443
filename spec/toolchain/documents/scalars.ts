import type { Json } from '../document.ts';

/** Kinds of scalars: their names in messages, and how values of other kinds are converted; undefined if they cannot be. */
export const scalars = {
  text: {
    name: 'text',
    // YAML reads versions as numbers.
    convert: (value: Json) =>
      typeof value === 'string' ? value : typeof value === 'object' ? undefined : String(value),
  },
  flag: {
    name: 'true or false',
    convert: (value: Json) =>
      typeof value === 'boolean' ? value : value === 'true' || (value === 'false' ? false : undefined),
  },
  number: { name: 'a number', convert: numberOf },
  limit: {
    name: 'a number or a boolean',
    convert: (value: Json) => (typeof value === 'boolean' ? value : numberOf(value)),
  },
} as const;

function numberOf(value: Json): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Returns a short description of a value for messages. */
export function describeValue(value: Json): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  return typeof value === 'object' ? 'an object' : JSON.stringify(value).slice(0, 60);
}
