import { createHash } from 'node:crypto';
import { namesId, wordsOf } from '../plan/names.ts';
import { timesOf } from '../schema/numbers.ts';
import type { Schema } from '../schema/schema.ts';

/** Date of the first entity; each later one is a day younger. */
const FIRST_DATE = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/** Returns a number within the limits of a schema, by default the number of the entity. */
export function sampleNumber(schema: Schema, number: number): number {
  const { multipleOf = 1 } = schema;
  const isInteger = schema.type === 'integer';
  const minimum =
    schema.minimum ?? (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) + (isInteger ? 1 : multipleOf);
  const maximum =
    schema.maximum ?? (schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) - (isInteger ? 1 : multipleOf);
  const within = Math.min(Math.max(number, minimum), maximum);
  return timesOf(Math.ceil(timesOf(within, 1 / multipleOf)), multipleOf);
}

/** Returns a text of a schema's format, or one that is made of its name and the number of its entity: `title 1`. */
export function sampleText(schema: Schema, name: string, number: number): string {
  const make = FORMATS[schema.format ?? ''];
  if (make) {
    return make(number, name);
  }
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const separator = namesId(name) ? '-' : ' ';
  const words = wordsOf(name).join(separator) || 'text';
  const text = `${words}${separator}${number}`;
  // The number distinguishes the texts of several entities, so the name is shortened.
  const short =
    text.length > maxLength
      ? `${words}${separator}`.slice(0, Math.max(0, maxLength - `${number}`.length)) + number
      : text;
  return short.padEnd(Math.min(minLength, maxLength), '.');
}

const date = (number: number) => new Date(FIRST_DATE + (number - 1) * DAY_MS).toISOString();
const slug = (name: string, number: number) => [...wordsOf(name), number].join('-');

/** Texts by format (JSON Schema 2020-12, Validation, section 7.3; OpenAPI Format Registry). */
const FORMATS: Readonly<Record<string, (number: number, name: string) => string>> = {
  'date-time': date,
  date: (number) => date(number).slice(0, 10),
  time: (number) => date(number).slice(11),
  duration: (number) => `PT${number}M`,
  email: (number, name) => `${slug(name, number)}@example.com`,
  hostname: (number, name) => `${slug(name, number)}.example.com`,
  ipv4: (number) => `192.0.2.${number % 256}`,
  ipv6: (number) => `2001:db8::${(number % 65_536).toString(16)}`,
  uri: (number, name) => `https://example.com/${slug(name, number)}`,
  url: (number, name) => `https://example.com/${slug(name, number)}`,
  'uri-reference': (number, name) => `/${slug(name, number)}`,
  uuid: (number, name) => {
    const hash = createHash('sha256').update(`${name} ${number}`).digest('hex');
    return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  },
  byte: (number, name) => Buffer.from(slug(name, number)).toString('base64'),
};
