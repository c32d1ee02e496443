import { isObject, type Json, type JsonObject } from '../../document.ts';

/** Returns the examples of a parameter, a media type or a schema. */
export function examplesOf(source: JsonObject, value: (example: Json) => JsonObject | undefined): Json[] {
  const examples: Json[] = source.example === undefined ? [] : [source.example];
  if (isObject(source.examples)) {
    for (const example of Object.values(source.examples)) {
      const exampleValue = value(example)?.value;
      if (exampleValue !== undefined) {
        examples.push(exampleValue);
      }
    }
  }
  const { schema } = source;
  if (isObject(schema)) {
    if (schema.example !== undefined) {
      examples.push(schema.example);
    }
    if (Array.isArray(schema.examples)) {
      examples.push(...schema.examples);
    }
  }
  return examples;
}
