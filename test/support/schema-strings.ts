import fc from 'fast-check';
import type { Schema, SchemaSet } from './json-schema.ts';

/** Texts longer than this are not made, to spare time: limits beyond it are not tried out. */
export const LONGEST_TEXT = 100_000;

/** Characters that programs stumble over: controls, right-to-left, combining, joined, beyond 16 bits. */
const ODD = [
  '\0',
  '\t',
  '\n',
  '\u007f',
  '\u00ad',
  '\u0301',
  '\u200b',
  '\u200f',
  '\u202e',
  '\u2028',
  '\ufeff',
  '\uffff',
  '😀',
  '𝒳',
];
const SIGNS = [
  '"',
  "'",
  '\\',
  '/',
  '%',
  '&',
  '<',
  '>',
  '{',
  '}',
  '$',
  '@',
  '#',
  '?',
  '+',
  ' ',
  '.',
  '_',
  '-',
];

const character = fc.oneof(
  { arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }), weight: 6 },
  { arbitrary: fc.constantFrom(...SIGNS), weight: 2 },
  { arbitrary: fc.constantFrom(...ODD), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), weight: 1 },
);

/** The length of a text as JSON Schema counts it: in code points. */
export const lengthOf = (text: string) => [...text].length;

/** Any text; `maxLength` in code points. */
export const anyText = (minLength = 0, maxLength = minLength + 24): fc.Arbitrary<string> =>
  fc.string({ unit: character, minLength, maxLength });

const iso = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T00:00:00Z'),
  noInvalidDate: true,
});
const dateTime = iso.map((date) => date.toISOString());
const digits = (max: number) => fc.integer({ min: 1, max });

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  'date-time': dateTime,
  date: dateTime.map((text) => text.slice(0, 10)),
  time: dateTime.map((text) => text.slice(11)),
  duration: fc.tuple(digits(400), digits(59)).map(([days, minutes]) => `P${days}DT${minutes}M`),
  uri: fc.webUrl({ withQueryParameters: true, withFragments: true }),
  'uri-reference': fc.webPath(),
  email: fc.emailAddress(),
  hostname: fc.domain(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  uuid: fc.uuid(),
  byte: fc.base64String(),
  regex: fc.constantFrom('^a+$', '[a-z]', '\\d{2}'),
  password: anyText(),
  'json-pointer': fc
    .array(fc.stringMatching(/^[a-z0-9]{0,5}$/))
    .map((steps) => steps.map((step) => `/${step}`).join('')),
};

/** Texts that look like a format's, and are not. */
const NEAR_MISSES: Record<string, string[]> = {
  'date-time': [
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01',
    '2026-01-01T25:00:00Z',
    '',
    'now',
  ],
  date: ['2026-13-01', '2026-02-30', '01.02.2026', ''],
  time: ['25:00:00Z', '12:00', ''],
  duration: ['P', '1D', 'PT', ''],
  uri: [
    'example.com/x',
    '/relative',
    '//example.com',
    'http://exa mple.com',
    'ht!tp://example.com',
    'http://[::1',
    '',
  ],
  'uri-reference': ['http://exa mple.com', 'a\\b', '%zz'],
  email: ['ada', 'ada@', '@example.com', 'ada@@example.com', 'ada@exa mple.com', 'a b@example.com', ''],
  hostname: ['-a.example', 'a..b', 'a_b!', ''],
  ipv4: ['256.0.0.1', '1.2.3', ''],
  ipv6: ['::g', '1::2::3', '127.0.0.1'],
  uuid: ['not-a-uuid', '00000000-0000-0000-0000-00000000000', ''],
  byte: ['=', 'abc', 'a===', 'not base64!', 'YWJj\u00e9'],
  regex: ['(', '[', '*'],
  'json-pointer': ['a', 'a/b', '/~2'],
};

/** Valid texts of a string schema without `enum`. */
export function validText(schemas: SchemaSet, schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = LONGEST_TEXT, pattern, format } = schema;
  const ofFormat = format === undefined ? undefined : FORMATS[format];
  if (format !== undefined && !ofFormat) throw new Error(`No texts can be made of the format "${format}".`);
  if (ofFormat) return ofFormat.filter((text) => schemas.accepts(schema, text));
  if (pattern !== undefined)
    return fc
      .stringMatching(new RegExp(pattern, 'u'), { maxLength: Math.min(maxLength, 200) })
      .filter((text) => schemas.accepts(schema, text));
  const usual = anyText(minLength, Math.min(maxLength, minLength + 24));
  if (maxLength > 4096) return usual;
  const longest = fc.constantFrom('a', 'é', '😀').map((one) => one.repeat(maxLength));
  return fc.oneof({ arbitrary: usual, weight: 7 }, { arbitrary: longest, weight: 1 });
}

/** Texts one step beyond each limit of a string schema, with the keyword that each goes beyond. */
export function invalidTexts(schemas: SchemaSet, schema: Schema): [keyword: string, fc.Arbitrary<string>][] {
  const { minLength = 0, maxLength, pattern, format } = schema;
  const variants: [string, fc.Arbitrary<string>][] = [];
  const add = (keyword: string, values: fc.Arbitrary<string>) => variants.push([keyword, values]);
  if (maxLength !== undefined && maxLength < LONGEST_TEXT)
    add(
      'maxLength',
      fc.constantFrom('a', 'é', '😀').map((one) => one.repeat(maxLength + 1)),
    );
  if (minLength > 0) add('minLength', anyText(minLength - 1, minLength - 1));
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u');
    const signs = fc.constantFrom(...SIGNS, ...ODD);
    const near = fc.tuple(signs, validText(schemas, schema), fc.boolean());
    const beside = near.map(([sign, text, before]) => (before ? sign + text : text + sign));
    add(
      'pattern',
      fc
        .oneof(beside, anyText(minLength))
        .filter((text) => !expression.test(text) && lengthOf(text) <= (maxLength ?? LONGEST_TEXT)),
    );
  }
  const misses = NEAR_MISSES[format ?? '']?.filter((text) => !schemas.accepts(schema, text)) ?? [];
  if (misses.length > 0) add('format', fc.constantFrom(...misses));
  return variants;
}
