import { isObject, type Json, type JsonObject } from '../../document.ts';

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
