import type { Json, JsonObject, OpenApiDocument } from './document.ts';
import { rewriteObjects } from './rewrite.ts';

/**
 * Says in OpenAPI 3.1 what a 3.0 document says, so that everything after it knows one dialect of schemas:
 * - `nullable` becomes the type `null`; a list of values gets `null` too, and so do unions and `allOf`, beside
 *   which the keyword says nothing by the letter, but is what their authors mean. `diff` judges alike.
 * - `exclusiveMinimum: true` takes the number of `minimum`, and likewise for the maximum.
 * - what stands beside a reference goes, since 3.0 passes over it; descriptions stay.
 *
 * Returns a new document; pure.
 */
export function upgrade(document: OpenApiDocument): OpenApiDocument {
  return rewriteObjects({ ...document, openapi: '3.1.0' }, upgradeSchema);
}

/** One schema alone, as {@link upgrade} says it; what is within it stays as it is. */
export function upgradeSchema(object: JsonObject): JsonObject {
  if (typeof object.$ref === 'string') return keep(object, ['$ref', 'summary', 'description']);
  const { nullable, ...rest } = object;
  const schema = withLimit(withLimit(rest, 'minimum', 'exclusiveMinimum'), 'maximum', 'exclusiveMaximum');
  return nullable === true ? orNull(schema) : schema;
}

function withLimit(schema: JsonObject, limit: string, exclusive: string): JsonObject {
  if (typeof schema[exclusive] !== 'boolean') return schema;
  const { [exclusive]: excluded, ...rest } = schema;
  if (excluded === false || rest[limit] === undefined) return rest;
  const { [limit]: value, ...others } = rest;
  return { ...others, [exclusive]: value as Json };
}

const composing = ['allOf', 'anyOf', 'oneOf', 'not'];
/** What a schema tells people and tools, beside what it asks of values. */
const annotations = [
  ...['title', 'description', 'default', 'deprecated'],
  ...['readOnly', 'writeOnly', 'example', 'externalDocs'],
];

function orNull(schema: JsonObject): JsonObject {
  if (composing.some((keyword) => keyword in schema)) {
    const told = keep(schema, annotations);
    const asked = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !(keyword in told)));
    return { ...told, anyOf: [asked, { type: 'null' }] };
  }
  const upgraded = { ...schema };
  if (typeof schema.type === 'string') upgraded.type = [schema.type, 'null'];
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) upgraded.enum = [...schema.enum, null];
  return upgraded;
}

function keep(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}
