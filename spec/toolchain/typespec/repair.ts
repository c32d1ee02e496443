import { isObject, type Json, type JsonObject, type OpenApiDocument } from '../document.ts';
import { rewriteObjects } from '../rewrite.ts';
import { declareDiscriminators } from './inline-discriminators.ts';
import { completeMergePatches } from './merge-patches.ts';

/**
 * Repairs schemas that the emitter emits so that they accept no value, or not those that the contract declares. Returns a
 * copy.
 * - `@encode` of a nullable property: its type is emitted next to a union with null, which it contradicts.
 * - a merge patch of a model that extends another: it requires all properties of the other model.
 * - a discriminated union without an envelope: its variants do not declare the discriminator.
 */
export function repairEmission(document: OpenApiDocument): OpenApiDocument {
  const repaired = rewriteObjects(document, repairNullableEncoding);
  completeMergePatches(repaired);
  declareDiscriminators(repaired);
  return repaired;
}

/** Moves the encoding of a nullable value into the branches of the union that are not null. */
function repairNullableEncoding(schema: JsonObject): Json {
  const { type, format, contentEncoding, anyOf, ...rest } = schema;
  if (typeof type !== 'string' || type === 'null' || !Array.isArray(anyOf) || !anyOf.some(isNull)) {
    return schema;
  }
  return {
    ...rest,
    anyOf: anyOf.map((branch) =>
      isNull(branch) || !isObject(branch) ? branch : encoded(branch, { type, format, contentEncoding }),
    ),
  };
}

function isNull(schema: Json): boolean {
  return isObject(schema) && schema.type === 'null';
}

/** Formats of an encoding by that of the value, where the emitter knows only the name of the encoding. */
const ENCODING_FORMATS: Readonly<Record<string, string>> = { rfc7231: 'http-date', rfc3339: 'date-time' };

function encoded(
  branch: JsonObject,
  encoding: { type: string; format: Json | undefined; contentEncoding: Json | undefined },
): JsonObject {
  const { $ref: _reference, items: _items, prefixItems: _prefixItems, format: original, ...rest } = branch;
  const { contentEncoding: originalEncoding, ...others } = rest;
  const { type, format, contentEncoding } = encoding;
  // Bytes have the encoding in a keyword of its own.
  if (originalEncoding !== undefined) {
    return { ...others, type, contentEncoding: contentEncoding ?? format ?? originalEncoding };
  }
  const isTimestamp = original === 'date-time' && type === 'integer';
  const name = isTimestamp ? 'unixtime' : (ENCODING_FORMATS[String(format)] ?? format);
  return { ...others, type, ...(name !== undefined && { format: name }) };
}
