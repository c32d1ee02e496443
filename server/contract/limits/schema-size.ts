import { isObject, parseReference, valueAt } from '../json-values.ts';

/** Maximum number of schemas that apply to one value, each counted once for every way that leads to it. */
export const MAX_APPLIED_SCHEMAS = 10_000;

/** Keywords with schemas that apply to the same value as the schema itself. */
const PARTS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

/**
 * Creates a function that returns why a schema of a document is too large; undefined if it is not. A program that
 * follows references needs time or memory for each schema that applies to a value: 24 schemas that each compose the
 * next schema twice are 16 million. If nested schemas are too large, only the innermost is reported.
 */
export function schemaSizeCheck(document: object): (schema: Record<string, unknown>) => string | undefined {
  const sizes = new Map<object, number>();
  const sizeOf = (schema: unknown): number => {
    if (!isObject(schema)) {
      return 0;
    }
    let size = sizes.get(schema);
    if (size === undefined) {
      // A schema that consists of itself is counted once: such a recursion is no matter of size.
      sizes.set(schema, 0);
      size = 1;
      for (const part of partsOf(document, schema)) {
        size += sizeOf(part);
      }
      sizes.set(schema, size);
    }
    return size;
  };
  return (schema) => {
    if (!PARTS.some((keyword) => keyword in schema)) {
      return undefined;
    }
    const size = sizeOf(schema);
    if (
      size <= MAX_APPLIED_SCHEMAS ||
      partsOf(document, schema).some((part) => sizeOf(part) > MAX_APPLIED_SCHEMAS)
    ) {
      return undefined;
    }
    return (
      `the schema expands to ${size} schemas, and at most ${MAX_APPLIED_SCHEMAS} are supported: refer to each schema ` +
      'once, without repeated parts of allOf, anyOf and oneOf, or declare the properties directly.'
    );
  };
}

/** Returns the schemas that apply to the same value. */
function partsOf(document: object, schema: Record<string, unknown>): unknown[] {
  const parts: unknown[] = [];
  for (const keyword of PARTS) {
    const value = schema[keyword];
    if (value === undefined) {
      continue;
    }
    if (keyword === '$ref') {
      parts.push(typeof value === 'string' ? valueAt(document, parseReference(value)) : undefined);
    } else if (Array.isArray(value)) {
      parts.push(...value);
    } else if (keyword === 'dependentSchemas') {
      parts.push(...(isObject(value) ? Object.values(value) : []));
    } else {
      parts.push(value);
    }
  }
  return parts;
}
