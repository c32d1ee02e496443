import { isObject, type OpenApiDocument, schemaOf } from '../document.ts';
import { hierarchiesOf, schemaNameOf } from '../validation/hierarchies.ts';

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
    case 'array': {
      const item = inner(schema.items);
      return item === undefined ? [] : [item];
    }
    case 'string':
      return stringValue(schema);
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    default:
      return undefined;
  }
}

function objectValue(
  document: OpenApiDocument,
  { properties, required }: Record<string, unknown>,
  direction: Direction,
  inner: (schema: unknown) => unknown,
): object {
  const hidden = direction === 'request' ? 'readOnly' : 'writeOnly';
  const declared = Object.entries(isObject(properties) ? properties : {}).filter(
    ([, property]) => schemaOf(document, property)[hidden] !== true,
  );
  const needed = declared.filter(([name]) => listOf(required).includes(name));
  const shown = direction === 'response' ? declared : needed.length > 0 ? needed : declared.slice(0, 1);
  return Object.fromEntries(
    shown.map(([name, property]) => [name, inner(property)]).filter(([, value]) => value !== undefined),
  );
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

function stringValue({ format, minLength }: Record<string, unknown>): string {
  const text = FORMATS[String(format)] ?? 'text';
  return typeof minLength === 'number' && text.length < minLength ? text.padEnd(minLength, 'x') : text;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
