import type { Json, JsonObject, OpenApiDocument } from '../document.ts';
import { rewriteObjects } from '../rewrite.ts';

/**
 * Converts an OpenAPI 3.0 document to 3.1, so that later steps support one dialect of schemas. Returns a copy.
 * - `nullable` becomes the type `null`. Enums get `null` too, and so do unions and `allOf`, where the keyword formally
 *   has no effect but authors intend one. `diff` interprets it in the same way.
 * - `exclusiveMinimum: true` gets the value of `minimum`, and likewise for the maximum.
 * - members next to a reference are removed, because 3.0 ignores them; descriptions stay.
 */
export function upgrade(document: OpenApiDocument): OpenApiDocument {
  return rewriteObjects({ ...document, openapi: '3.1.0' }, upgradeSchema);
}

/** Converts one schema like {@link upgrade}, without its nested schemas. */
export function upgradeSchema(object: JsonObject): JsonObject {
  if (typeof object.$ref === 'string') {
    return pick(object, ['$ref', 'summary', 'description']);
  }
  const { nullable, ...rest } = object;
  const schema = withLimit(withLimit(rest, 'minimum', 'exclusiveMinimum'), 'maximum', 'exclusiveMaximum');
  return nullable === true ? withNull(schema) : schema;
}

function withLimit(schema: JsonObject, limit: string, exclusive: string): JsonObject {
  if (typeof schema[exclusive] !== 'boolean') {
    return schema;
  }
  const { [exclusive]: excluded, ...rest } = schema;
  if (excluded === false || rest[limit] === undefined) {
    return rest;
  }
  const { [limit]: value, ...others } = rest;
  return { ...others, [exclusive]: value as Json };
}

const COMPOSING_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'not'];
/** Keywords that do not constrain values. */
const ANNOTATION_KEYWORDS = [
  ...['title', 'description', 'default', 'deprecated'],
  ...['readOnly', 'writeOnly', 'example', 'externalDocs'],
];

function withNull(schema: JsonObject): JsonObject {
  if (COMPOSING_KEYWORDS.some((keyword) => keyword in schema)) {
    const annotation = pick(schema, ANNOTATION_KEYWORDS);
    const constraints = Object.fromEntries(
      Object.entries(schema).filter(([keyword]) => !(keyword in annotation)),
    );
    return { ...annotation, anyOf: [constraints, { type: 'null' }] };
  }
  const upgraded = { ...schema };
  if (typeof schema.type === 'string') {
    upgraded.type = [schema.type, 'null'];
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) {
    upgraded.enum = [...schema.enum, null];
  }
  return upgraded;
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}
