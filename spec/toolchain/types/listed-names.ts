import { isObject, type Json, type JsonObject } from '../document.ts';
import { listedValues } from './schema-members.ts';

/**
 * Declares the properties of an object that its `propertyNames` lists, such as `{ enum: [en, de] }`. Returns other
 * schemas unchanged.
 */
export function withListedNames(models: Readonly<Record<string, Json>>, schema: JsonObject): JsonObject {
  const { propertyNames, patternProperties, unevaluatedProperties, additionalProperties } = schema;
  const isOpen = patternProperties === undefined && unevaluatedProperties === undefined;
  const names = isOpen && propertyNames !== undefined ? listedValues(models, [propertyNames]) : undefined;
  if (names === undefined || additionalProperties === false) {
    return schema;
  }
  const declared = isObject(schema.properties) ? schema.properties : {};
  const values = additionalProperties ?? true;
  return {
    ...schema,
    properties: Object.fromEntries(
      names
        .filter((name) => typeof name === 'string')
        .map((name) => [name, Object.hasOwn(declared, name) ? (declared[name] ?? values) : values]),
    ),
    additionalProperties: false,
  };
}
