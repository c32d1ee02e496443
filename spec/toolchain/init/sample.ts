import { dereference, isObject, type Json, type JsonObject, type OpenApiDocument } from '../document.ts';

/** Depth at which the sample of a recursive schema ends. */
const MAX_DEPTH = 8;

/** Values of formats, of which the validator checks the syntax. */
const FORMATS: Readonly<Record<string, string>> = {
  date: '2030-01-31',
  'date-time': '2030-01-31T12:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
  uuid: '7f9c24e5-2f0b-4c3a-9d55-0a1b2c3d4e5f',
};

/**
 * Returns a valid value of a schema, with its required properties only, or undefined if none is obvious: for a pattern
 * without an example, for instance.
 */
export function sampleOf(document: OpenApiDocument, declared: Json, depth = 0): Json | undefined {
  if (!isObject(declared) || depth > MAX_DEPTH) {
    return declared === true ? '' : undefined;
  }
  const schema = dereference<JsonObject>(document, declared);
  const stated = [
    schema.example,
    schema.default,
    schema.const,
    ...listOf(schema.examples),
    ...listOf(schema.enum),
  ];
  const value = stated.find((candidate) => candidate !== undefined);
  if (value !== undefined) {
    return value;
  }
  const [variant] = [...listOf(schema.oneOf), ...listOf(schema.anyOf)];
  if (variant !== undefined) {
    return sampleOf(document, variant, depth + 1);
  }
  const [type] = [schema.type].flat();
  switch (type) {
    case 'string':
      return sampleText(schema);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return sampleArray(document, schema, depth);
    case 'object':
      return sampleObject(document, schema, depth);
    default:
      return undefined;
  }
}

function sampleText({
  format,
  pattern,
  minLength = 0,
  maxLength = Infinity,
}: JsonObject): string | undefined {
  const text = typeof format === 'string' ? FORMATS[format] : 'a'.repeat(Math.max(1, Number(minLength)));
  if (text === undefined || pattern !== undefined || text.length > Number(maxLength)) {
    return undefined;
  }
  return text;
}

function sampleNumber({
  minimum,
  exclusiveMinimum,
  maximum,
  multipleOf = 1,
}: JsonObject): number | undefined {
  const lowest = Math.max(Number(minimum ?? 1), Number(exclusiveMinimum ?? 0) + Number(multipleOf));
  const value = Math.ceil(lowest / Number(multipleOf)) * Number(multipleOf);
  const limited = maximum !== undefined && value > Number(maximum) ? Number(maximum) : value;
  return limited % Number(multipleOf) === 0 ? limited : undefined;
}

function sampleArray(document: OpenApiDocument, { items = true, minItems = 0 }: JsonObject, depth: number) {
  if (Number(minItems) === 0) {
    return [];
  }
  const item = sampleOf(document, items, depth + 1);
  return item === undefined ? undefined : Array.from({ length: Number(minItems) }, () => item);
}

function sampleObject(document: OpenApiDocument, schema: JsonObject, depth: number): JsonObject | undefined {
  const sample: JsonObject = {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of listOf(schema.required)) {
    const value = sampleOf(document, properties[String(name)] ?? true, depth + 1);
    if (value === undefined) {
      return undefined;
    }
    sample[String(name)] = value;
  }
  return listOf(schema.allOf).length > 0 ? undefined : sample;
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
