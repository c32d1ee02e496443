import { isObject, type Json, type JsonObject, type OpenApiDocument } from '../document.ts';
import { readContract } from '../model/contract/read.ts';
import { SchemaSet, UnusableSchema } from '../model/schema/schema.ts';
import type { Problem } from '../problem.ts';
import { eachObject, type Position, pointerOf } from '../rewrite.ts';
import { documentOf } from '../source.ts';

/** Deepest values that are considered. A schema without any of them contains itself. */
const MAX_VALUE_DEPTH = 30;

const LIMIT_KEYWORDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

/**
 * Reports schemas that accept no value, such as a type next to a union of other types: every request or response with
 * them is rejected, although the contract looks complete. `false` and `not: {}` are intended.
 */
export function emptySchemas(document: OpenApiDocument, file: string): Problem[] {
  const schemas = new SchemaSet(readContract(documentOf(file, document)).components);
  const problems: Problem[] = [];
  let reported: Position | undefined;
  // A document is JSON.
  eachObject(document as unknown as Json, (object, position) => {
    // An outer schema is visited before those that it contains, which can be the cause: one of them is reported.
    if (isWithin(position, reported) || !isComposed(object) || !isEmpty(schemas, object)) {
      return;
    }
    reported = position;
    problems.push({
      severity: 'warning',
      code: 'no-value',
      message: `${pointerOf(position)} accepts no value: its keywords contradict each other. Correct its types and limits.`,
      file,
    });
  });
  return problems;
}

function isWithin(position: Position | undefined, outer: Position | undefined): boolean {
  for (let at = position; at && outer; at = at.parent) {
    if (at === outer) {
      return true;
    }
  }
  return false;
}

/** Whether an object is a schema with several keywords that can contradict each other. */
function isComposed(object: JsonObject): boolean {
  return (
    ['allOf', 'anyOf', 'oneOf'].some((keyword) => Array.isArray(object[keyword])) ||
    (typeof object.$ref === 'string' && object.type !== undefined) ||
    LIMIT_KEYWORDS.some(([least, most]) => object[least] !== undefined && object[most] !== undefined) ||
    (object.type !== undefined && Array.isArray(object.enum)) ||
    (isObject(object.properties) && Array.isArray(object.required))
  );
}

function isEmpty(schemas: SchemaSet, object: JsonObject): boolean {
  try {
    const flat = schemas.flat(object);
    const isReversed = LIMIT_KEYWORDS.some(([least, most]) => Number(flat[least]) > Number(flat[most]));
    const values = Array.isArray(flat.enum) ? flat.enum : undefined;
    return (
      isReversed ||
      (values !== undefined && !values.some((value) => schemas.accepts(object, value))) ||
      (!schemas.isTooLarge(object) && !schemas.fits(object, MAX_VALUE_DEPTH))
    );
  } catch (error) {
    // What the tools cannot evaluate is reported elsewhere.
    if (error instanceof UnusableSchema) {
      return false;
    }
    throw error;
  }
}
