import { isObject, type Json, type JsonObject } from '../../document.ts';

/**
 * A schema of OpenAPI 3.0 in the words of JSON Schema 2020-12; what is within it stays as it is
 * (OpenAPI 3.0, Schema Object).
 */
export function modern(schema: JsonObject): JsonObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...result } = schema;
  if (exclusiveMinimum === true && result.minimum !== undefined) {
    result.exclusiveMinimum = result.minimum;
    delete result.minimum;
  }
  if (exclusiveMaximum === true && result.maximum !== undefined) {
    result.exclusiveMaximum = result.maximum;
    delete result.maximum;
  }
  if (nullable === true) return withNull(result);
  return result;
}

/** Lets null in, too: also where an enum does not name it, as most who write `nullable` mean it. */
function withNull(schema: JsonObject): JsonObject {
  const { enum: members, type, ...rest } = schema;
  const union = ['allOf', 'oneOf', 'anyOf', 'not'].some((keyword) => schema[keyword] !== undefined);
  if (union) return { anyOf: [schema, { type: 'null' }] };
  const result: JsonObject = { ...rest };
  if (type !== undefined) result.type = [type, 'null'].flat() as Json;
  if (Array.isArray(members)) result.enum = members.includes(null) ? members : [...members, null];
  return result;
}

/** The examples that a parameter, a media type or a schema gives. */
export function examplesOf(place: JsonObject, value: (example: Json) => JsonObject | undefined): Json[] {
  const found: Json[] = place.example === undefined ? [] : [place.example];
  if (isObject(place.examples))
    for (const example of Object.values(place.examples)) {
      const told = value(example)?.value;
      if (told !== undefined) found.push(told);
    }
  const { schema } = place;
  if (isObject(schema)) {
    if (schema.example !== undefined) found.push(schema.example);
    if (Array.isArray(schema.examples)) found.push(...schema.examples);
  }
  return found;
}
