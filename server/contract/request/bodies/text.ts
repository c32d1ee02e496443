import type { OpenApiDocument } from '../../document.ts';
import type { Fault } from '../../errors.ts';
import { type CheckValue, compileSchema } from '../../validation/schema-check.ts';
import { permittedTypes, shapeOf } from '../../validation/shapes.ts';
import { isNumberText } from '../values/value-reader.ts';
import { bodyFault, decode, unsafeText } from './buffered.ts';

/**
 * Creates the check of a text, such as a body or a header. A schema of numbers, booleans or null applies to the value
 * that the text represents; one of objects or lists describes values of a notation that the server does not parse, such
 * as XML, and applies to no text.
 */
export function textCheck(document: OpenApiDocument, schema: unknown): CheckValue {
  const types = permittedTypes(shapeOf(document, schema));
  if (types?.every((type) => type === 'object' || type === 'array')) {
    return () => [];
  }
  const check = compileSchema(document, schema);
  return (text) => check(typeof text === 'string' ? coerce(text, types) : text);
}

/** Decodes and validates text. Returns undefined if it is invalid, after adding a fault. */
export async function parseText(
  chunks: readonly Buffer[],
  charset: string,
  check: CheckValue,
  faults: Fault[],
): Promise<string | undefined> {
  const text = await decode(chunks, charset).catch(() => undefined);
  const reason = text === undefined ? `is not valid ${charset}` : unsafeText(text);
  if (reason !== undefined) {
    faults.push(bodyFault(reason));
    return undefined;
  }
  faults.push(...check(text));
  return text;
}

/** Returns whether texts in a charset can be decoded. */
export function isCharset(charset: string): boolean {
  try {
    return new TextDecoder(charset, { fatal: true }).encoding !== undefined;
  } catch {
    return false;
  }
}

/** Converts a text to the declared type; a text of another type stays one, which validation rejects. */
function coerce(text: string, types: readonly string[] | undefined): unknown {
  if (types === undefined || types.includes('string')) {
    return text;
  }
  if (types.includes('number') && isNumberText(text)) {
    return Number(text);
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) {
    return text === 'true';
  }
  return types.includes('null') && text === '' ? null : text;
}
