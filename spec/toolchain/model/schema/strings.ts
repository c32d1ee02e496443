import fc from 'fast-check';
import { INTEGER_FORMATS } from '../../../../server/contract/validation/formats.ts';
import { codePoint } from './code-points.ts';
import { expression, regExpOf } from './expressions.ts';
import { filterValuesIfAny } from './filter.ts';
import type { Schema, SchemaSet } from './schema.ts';
import { urlPath, webUrl } from './urls.ts';

/** Maximum length of generated texts. Limits above it are not tested. */
export const MAX_TEXT_LENGTH = 100_000;

/** Characters that often cause errors: controls, right-to-left, combining, joined, beyond 16 bits. */
const UNUSUAL_CHARACTERS = [
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
const CHARACTERS = [
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
  { arbitrary: fc.constantFrom(...CHARACTERS), weight: 2 },
  { arbitrary: fc.constantFrom(...UNUSUAL_CHARACTERS), weight: 1 },
  { arbitrary: fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }), weight: 1 },
);

/** Returns the length of a text in code points, as defined by JSON Schema. */
const lengthOf = (text: string) => [...text].length;

/** Creates any text; `maxLength` in code points. */
export const anyText = (minLength = 0, maxLength = minLength + 24): fc.Arbitrary<string> =>
  fc.string({ unit: character, minLength, maxLength });

const plain = ({ minLength = 0, maxLength = Infinity }: Schema): fc.Arbitrary<string> => {
  const least = Math.min(Math.max(1, minLength), maxLength);
  const letters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
  return fc.string({ unit: letters, minLength: least, maxLength: Math.min(maxLength, Math.max(least, 12)) });
};

const iso = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T00:00:00Z'),
  noInvalidDate: true,
});
const dateTime = iso.map((date) => date.toISOString());
const digits = (max: number) => fc.integer({ min: 1, max });

/** Texts of each supported format. */
const FORMATS: Record<string, () => fc.Arbitrary<string>> = {
  'date-time': () => dateTime,
  date: () => dateTime.map((text) => text.slice(0, 10)),
  time: () => dateTime.map((text) => text.slice(11)),
  duration: () => fc.tuple(digits(400), digits(59)).map(([days, minutes]) => `P${days}DT${minutes}M`),
  uri: () => webUrl({ withQuery: true }),
  'uri-reference': () => urlPath(),
  email: () => fc.emailAddress(),
  hostname: () => fc.domain(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uuid: () => fc.uuid(),
  byte: () => fc.base64String(),
  regex: () => fc.constantFrom('^a+$', '[a-z]', '\\d{2}'),
  password: () => plain({ minLength: 12, maxLength: 24 }),
  'iso-date-time': () => dateTime,
  'iso-time': () => dateTime.map((text) => text.slice(11)),
  url: () => webUrl(),
  iri: () => webUrl(),
  'iri-reference': () => urlPath(),
  'idn-email': () => fc.emailAddress(),
  'idn-hostname': () => fc.domain(),
  'uri-template': () => webUrl(),
  'relative-json-pointer': () => fc.nat().map((up) => `${up}/a`),
  'json-pointer-uri-fragment': () => fc.stringMatching(/^[a-z0-9]{0,5}$/).map((step) => `#/${step}`),
  'json-pointer': () =>
    fc.array(fc.stringMatching(/^[a-z0-9]{0,5}$/)).map((steps) => steps.map((step) => `/${step}`).join('')),
};

/** Formats that do not restrict texts, or restrict only numbers. */
const OTHER_FORMATS: ReadonlySet<string> = new Set([
  ...Object.keys(INTEGER_FORMATS),
  'float',
  'double',
  'binary',
]);

/** Returns whether a format is a standard one, and not a name of the contract such as `x509-certificate`. */
export const isKnownFormat = (format: string): boolean =>
  Object.hasOwn(FORMATS, format) || OTHER_FORMATS.has(format);

/** Texts that resemble a format but are invalid. */
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

/** Texts that often cause errors. */
export const UNUSUAL_TEXTS = [
  'Ünïcödé',
  '日本語のテキスト',
  'مرحبا',
  'e\u0301',
  '👩\u200d👩\u200d👧',
  '\u202eright to left',
  '\ufeffmark',
  'a\u2028b',
  'line\nbreak',
  "it's",
  '"; --',
  '<b>&amp;</b>',
  '../..',
  '%2F',
  '$a {b}',
  ' ',
];

/** Creates candidates for a string schema without `enum`. Most are valid; for supported formats all are. */
export function validText(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = MAX_TEXT_LENGTH, format } = schema;
  const ofFormat = ownFormat(schema);
  if (ofFormat) {
    return ofFormat;
  }
  if (schema.pattern !== undefined) {
    return matching(schema);
  }
  // Unsupported formats are not validated.
  const usual =
    format === undefined ? anyText(minLength, Math.min(maxLength, minLength + 24)) : plain(schema);
  if (maxLength > 4096 || format !== undefined) {
    return usual;
  }
  const longest = fc.constantFrom('a', 'é', '😀').map((letter) => letter.repeat(maxLength));
  return fc.oneof({ arbitrary: usual, weight: 7 }, { arbitrary: longest, weight: 1 });
}

/** Creates candidates of letters only, if possible. */
export function plainText(schema: Schema): fc.Arbitrary<string> {
  return ownFormat(schema) ?? (schema.pattern === undefined ? plain(schema) : matching(schema));
}

function ownFormat({ format, contentEncoding, pattern }: Schema): fc.Arbitrary<string> | undefined {
  if (pattern !== undefined && UNRESTRICTED_FORMATS.has(format ?? '')) {
    return undefined;
  }
  return textsOf(format ?? (contentEncoding === 'base64' ? 'byte' : ''));
}

/** Returns the texts of a format; undefined if the format is not supported. */
function textsOf(format: string): fc.Arbitrary<string> | undefined {
  const create = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return create && once(`format ${format}`, create);
}

const created = new Map<string, fc.Arbitrary<string>>();

/** Creates texts when they are needed for the first time: those of URLs and patterns are slow to set up. */
function once(key: string, create: () => fc.Arbitrary<string>): fc.Arbitrary<string> {
  const existing = created.get(key) ?? create();
  created.set(key, existing);
  return existing;
}

/** Formats that are less specific than a pattern. */
const UNRESTRICTED_FORMATS = new Set(['password', 'binary']);

/** Creates texts that match a pattern, or letters if fast-check does not support it. */
function matching(schema: Schema): fc.Arbitrary<string> {
  const { pattern = '', minLength, maxLength } = schema;
  return once(JSON.stringify([pattern, minLength, maxLength]), () => {
    try {
      const texts = fc.stringMatching(regExpOf(pattern), { maxLength: Math.min(maxLength ?? 200, 200) });
      // Some unsupported expressions are only detected when the first text is generated.
      fc.sample(texts, { numRuns: 1, seed: 1 });
      return texts;
    } catch {
      return plain(schema);
    }
  });
}

/** Creates texts one step beyond each limit of a string schema, with the violated keyword. */
export function invalidTexts(schemas: SchemaSet, schema: Schema): [keyword: string, fc.Arbitrary<string>][] {
  const { minLength = 0, maxLength, pattern, format } = schema;
  const variants: [string, fc.Arbitrary<string>][] = [];
  const add = (keyword: string, values: fc.Arbitrary<string>) => variants.push([keyword, values]);
  if (maxLength !== undefined && maxLength < MAX_TEXT_LENGTH) {
    add(
      'maxLength',
      fc.constantFrom('a', 'é', '😀').map((letter) => letter.repeat(maxLength + 1)),
    );
  }
  if (minLength > 0) {
    add('minLength', anyText(minLength - 1, minLength - 1));
  }
  if (pattern !== undefined) {
    const matcher = expression(pattern);
    const signs = fc.constantFrom(...CHARACTERS, ...UNUSUAL_CHARACTERS);
    const near = fc.tuple(signs, validText(schema), fc.boolean());
    const affixed = near.map(([sign, text, before]) => (before ? sign + text : text + sign));
    const mismatching = filterValuesIfAny(
      fc.oneof(affixed, anyText(minLength)),
      (text) => !matcher.test(text) && lengthOf(text) <= (maxLength ?? MAX_TEXT_LENGTH),
    );
    if (mismatching) {
      add('pattern', mismatching);
    }
  }
  const misses = NEAR_MISSES[format ?? '']?.filter((text) => !schemas.accepts(schema, text)) ?? [];
  if (misses.length > 0) {
    add('format', fc.constantFrom(...misses));
  }
  return variants;
}
