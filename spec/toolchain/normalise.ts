import { isObject, type Json, type JsonObject, type OpenApiDocument } from './document.ts';
import { rewriteObjects } from './rewrite.ts';

/** Keywords that let a schema take properties from elsewhere, so that sealing it must look past its own. */
const composing = [
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
  '$ref',
  '$dynamicRef',
];

/**
 * Rewrites what the emitter says into what type generators and validators understand alike, and settles the order:
 * - `unevaluatedProperties` becomes `additionalProperties` where a schema composes nothing; both seal it,
 *   but type generators only know the latter.
 * - a schema that nothing satisfies is written `false`.
 * - bytes in base64 carry the format `byte` too, which validators check, unlike `contentEncoding`.
 *
 * Returns a new document; pure and deterministic.
 */
export function normalise(document: OpenApiDocument): OpenApiDocument {
  const plain = rewriteObjects(document, rewriteSchema);
  plain.paths = sortedByName(plain.paths);
  for (const kind of ['schemas', 'parameters']) {
    const members = plain.components?.[kind];
    if (plain.components && members) plain.components[kind] = sortedByName(members);
  }
  return plain;
}

function rewriteSchema(schema: JsonObject): Json {
  if (isNever(schema)) return false;
  if ('unevaluatedProperties' in schema && !composing.some((keyword) => keyword in schema)) {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [
        keyword === 'unevaluatedProperties' ? 'additionalProperties' : keyword,
        value,
      ]),
    );
  }
  if (schema.contentEncoding === 'base64' && !('format' in schema)) return { ...schema, format: 'byte' };
  return schema;
}

function isNever(schema: JsonObject): boolean {
  return Object.keys(schema).length === 1 && isObject(schema.not) && Object.keys(schema.not).length === 0;
}

function sortedByName<Member>(members: Record<string, Member>): Record<string, Member> {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));
}
