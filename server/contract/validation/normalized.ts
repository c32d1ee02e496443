import { SCHEMA_GRAMMAR } from './grammar.ts';

/** Keywords of JSON Schema with a value of their own that validators apply. All others are annotations. */
const VALUE_KEYWORDS = new Set([
  ...['$ref', 'type', 'enum', 'const', 'default', 'format'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties', 'required', 'dependentRequired'],
]);

const NEVER = { not: {} };

/**
 * Returns the keywords of a schema that restrict its values, in a form that Ajv accepts: it rejects schemas with an
 * empty enumeration, and with what remains of OpenAPI 3.0. Annotations are omitted, and so is `discriminator`, which
 * makes Ajv reject a null body.
 */
export function normalized(schema: Record<string, unknown>): Record<string, unknown> {
  if (Array.isArray(schema.enum) && schema.enum.length === 0) {
    return NEVER;
  }
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if ((VALUE_KEYWORDS.has(keyword) || SCHEMA_GRAMMAR.has(keyword)) && keyword !== '$defs') {
      result[keyword] = value;
    }
  }
  exclude(result, 'exclusiveMinimum', 'minimum');
  exclude(result, 'exclusiveMaximum', 'maximum');
  if (schema.nullable === true && typeof result.type === 'string') {
    result.type = [result.type, 'null'];
    result.enum =
      Array.isArray(result.enum) && !result.enum.includes(null) ? [...result.enum, null] : result.enum;
    if (result.enum === undefined) {
      delete result.enum;
    }
  }
  // These have no effect without each other.
  if (result.if === undefined || (result.then === undefined && result.else === undefined)) {
    delete result.if;
    delete result.then;
    delete result.else;
  }
  if (result.contains === undefined) {
    delete result.minContains;
    delete result.maxContains;
  }
  return result;
}

/** Replaces the boolean form of an exclusive limit by the limit. */
function exclude(schema: Record<string, unknown>, exclusive: string, limit: string): void {
  if (typeof schema[exclusive] !== 'boolean') {
    return;
  }
  if (schema[exclusive] === true && typeof schema[limit] === 'number') {
    schema[exclusive] = schema[limit];
    delete schema[limit];
  } else {
    delete schema[exclusive];
  }
}
