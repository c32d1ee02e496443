import { type OpenApiDocument, schemaOf } from '../document.ts';
import { isObject, listOf } from '../json-values.ts';
import { hierarchiesOf, schemaNameOf } from '../validation/hierarchies.ts';
import { patternOf } from '../validation/patterns/patterns.ts';

/** Direction of a body: requests omit properties that are `readOnly`, responses those that are `writeOnly`. */
export type Direction = 'request' | 'response';

/** Maximum nesting depth of an example on the documentation pages. */
export const MAX_EXAMPLE_DEPTH = 6;

/** Maximum number of values in an example on the documentation pages. Further ones are omitted. */
export const MAX_EXAMPLE_VALUES = 1000;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'ada@example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  uri: 'https://example.com',
  url: 'https://example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'aGVsbG8=',
};

/**
 * Creates an example of a schema: a declared example, or a value of its type. Examples of requests have only the
 * required properties, or the first one if none is required.
 */
export function exampleValue(document: OpenApiDocument, schema: unknown, direction: Direction): unknown {
  return createValue(document, schema, direction, [], { values: 0 });
}

function createValue(
  document: OpenApiDocument,
  declared: unknown,
  direction: Direction,
  parents: readonly object[],
  size: { values: number },
): unknown {
  size.values += 1;
  const schema = schemaOf(document, declared);
  const declaredExample = declaredValue(schema);
  if (declaredExample !== undefined) {
    return declaredExample;
  }
  if (parents.includes(schema) || parents.length > MAX_EXAMPLE_DEPTH || size.values > MAX_EXAMPLE_VALUES) {
    return undefined;
  }
  const inner = (value: unknown) => createValue(document, value, direction, [...parents, schema], size);
  const inheriting = inheritingSchema(document, declared);
  if (inheriting) {
    const value = createValue(document, inheriting.schema, direction, parents, size);
    return isObject(value) ? { ...value, [inheriting.property]: inheriting.value } : value;
  }
  const [variant] = variantsIn(document, schema);
  // A schema that inherits from another one includes its properties, not those of the others that inherit from it.
  const composed = listOf(schema.allOf);
  const parts = composed.length > 1 ? composed.map((part) => schemaOf(document, part)) : composed;
  const values = [...parts, ...(variant === undefined ? [] : [variant])].map(inner);
  const own =
    isObject(schema.properties) || values.length === 0
      ? ownValue(document, schema, direction, inner)
      : undefined;
  const objects = [...values, own].filter(isObject);
  return objects.length > 0
    ? Object.assign({}, ...objects)
    : [...values, own].find((value) => value !== undefined);
}

/** Returns the first schema that the discriminator of a referenced schema names. */
function inheritingSchema(document: OpenApiDocument, declared: unknown) {
  const ref = isObject(declared) && typeof declared.$ref === 'string' ? declared.$ref : '';
  const name = schemaNameOf(ref);
  const hierarchy = name === undefined ? undefined : hierarchiesOf(document).of(name);
  const [first] = hierarchy?.members ?? [];
  const target = first?.targets[0];
  const schema = target === undefined ? undefined : document.components?.schemas?.[target];
  return hierarchy && first && isObject(schema)
    ? { property: hierarchy.property, value: first.value, schema }
    : undefined;
}

/** Returns the value that a schema declares: an example, its default or its only value. */
function declaredValue({
  example,
  examples,
  default: preset,
  const: only,
  enum: values,
}: Record<string, unknown>): unknown {
  const first = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);
  return example ?? first(examples) ?? only ?? preset ?? first(values);
}

/** Returns the variants of a union without null. */
export function variantsIn(document: OpenApiDocument, schema: Record<string, unknown>): unknown[] {
  return [...listOf(schema.oneOf), ...listOf(schema.anyOf)].filter(
    (variant) => schemaOf(document, variant).type !== 'null',
  );
}

function ownValue(
  document: OpenApiDocument,
  schema: Record<string, unknown>,
  direction: Direction,
  inner: (schema: unknown) => unknown,
): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return objectValue(document, schema, direction, inner);
    case 'array':
      return listValue(schema, inner);
    case 'string':
      return stringValue(schema);
    case 'integer':
    case 'number':
      return numberValue(schema);
    case 'boolean':
      return true;
    default:
      return undefined;
  }
}

function objectValue(
  document: OpenApiDocument,
  { properties, required, additionalProperties, propertyNames }: Record<string, unknown>,
  direction: Direction,
  inner: (schema: unknown) => unknown,
): object {
  const hidden = direction === 'request' ? 'readOnly' : 'writeOnly';
  const declared = Object.entries(isObject(properties) ? properties : {}).filter(
    ([, property]) => schemaOf(document, property)[hidden] !== true,
  );
  if (declared.length === 0 && isObject(additionalProperties) && propertyNames === undefined) {
    const value = inner(additionalProperties);
    return value === undefined ? {} : { name: value };
  }
  const needed = declared.filter(([name]) => listOf(required).includes(name));
  const shown = direction === 'response' ? declared : needed.length > 0 ? needed : declared.slice(0, 1);
  return Object.fromEntries(
    shown.map(([name, property]) => [name, inner(property)]).filter(([, value]) => value !== undefined),
  );
}

/** Maximum number of items of a list in an example on the documentation pages, if the schema requires more than one. */
export const MAX_EXAMPLE_ITEMS = 10;

function listValue(
  { prefixItems, items, minItems, uniqueItems }: Record<string, unknown>,
  inner: (schema: unknown) => unknown,
): unknown[] {
  const first = listOf(prefixItems).map(inner);
  const least = typeof minItems === 'number' ? Math.min(minItems, MAX_EXAMPLE_ITEMS) : 0;
  const others = items === false ? 0 : Math.max(least - first.length, first.length > 0 ? 0 : 1);
  // Equal items are no example of a list of unique ones.
  const repeated = Array.from({ length: uniqueItems === true ? Math.min(others, 1) : others }, () =>
    inner(items),
  );
  return [...first, ...repeated].filter((item) => item !== undefined);
}

function numberValue(schema: Record<string, unknown>): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  const [least, above, most, below] = [minimum, exclusiveMinimum, maximum, exclusiveMaximum].map((limit) =>
    typeof limit === 'number' ? limit : undefined,
  );
  const candidates = [
    1,
    step,
    ...(least === undefined ? [] : [least, Math.ceil(least / step) * step]),
    ...(above === undefined ? [] : [Math.floor(above / step) * step + step]),
    ...(most === undefined ? [] : [most, Math.floor(most / step) * step]),
    ...(below === undefined ? [] : [Math.ceil(below / step) * step - step]),
    ...(above === undefined || below === undefined ? [] : [(above + below) / 2]),
  ];
  const isValid = (value: number) =>
    (least === undefined || value >= least) &&
    (above === undefined || value > above) &&
    (most === undefined || value <= most) &&
    (below === undefined || value < below) &&
    (typeof multipleOf !== 'number' || Number.isInteger(Number((value / step).toPrecision(12)))) &&
    (typeOf(schema) !== 'integer' || Number.isInteger(value));
  return candidates.find(isValid) ?? least ?? 1;
}

/** Returns the type of a schema, the first one other than null if it has several. */
export function typeOf({ type, properties, additionalProperties, items }: Record<string, unknown>): string {
  const [first] = [type].flat().filter((name) => name !== 'null');
  if (typeof first === 'string') {
    return first;
  }
  if (isObject(properties) || isObject(additionalProperties)) {
    return 'object';
  }
  return items === undefined ? '' : 'array';
}

/** Maximum length of a text in an example on the documentation pages, if the schema requires a long one, in UTF-16 units. */
export const MAX_EXAMPLE_TEXT_CHARACTERS = 1_000;

function stringValue({ format, minLength, maxLength, pattern }: Record<string, unknown>): string {
  const fitting = (text: string) => {
    const long =
      typeof minLength === 'number' && text.length < minLength
        ? text.padEnd(Math.min(minLength, MAX_EXAMPLE_TEXT_CHARACTERS), text.at(-1) ?? 'x')
        : text;
    return typeof maxLength === 'number' ? long.slice(0, Math.max(0, maxLength)) : long;
  };
  const formatted = FORMATS[String(format)];
  const texts = formatted === undefined ? TEXTS.map(fitting) : [formatted, ...TEXTS.map(fitting)];
  const [first = 'text'] = texts;
  return typeof pattern === 'string' ? (texts.find((text) => matches(pattern, text)) ?? first) : first;
}

/** Texts that match common patterns. */
const TEXTS = [
  ...[
    'text',
    'Text',
    'TEXT',
    '1',
    '12',
    '123',
    '1234',
    '12345',
    '1234567890',
    'a1',
    'A1',
    'ab',
    'AB',
    'abc',
    'ABC',
  ],
  ...[
    'some-text',
    'text_1',
    'text.txt',
    '1.0',
    '1.0.0',
    '#a1b2c3',
    'ada@example.com',
    'https://example.com',
    '/text',
  ],
  ...[
    '2026-01-31',
    '12:00',
    'en-US',
    '+15550100',
    '123e4567-e89b-42d3-a456-426614174000',
    'a1b2c3d4'.repeat(3),
  ],
  ...['a1b2c3d4'.repeat(4), 'a1b2c3d4'.repeat(5), 'a1b2c3d4'.repeat(8)],
];

function matches(pattern: string, text: string): boolean {
  try {
    return patternOf(pattern).test(text);
  } catch {
    return false;
  }
}
