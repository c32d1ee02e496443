import { isObject, type OpenApiDocument, resolve } from './document.ts';

/** Results by document: the validators of a document share them. */
const partsByDocument = new WeakMap<OpenApiDocument, ReadonlySet<unknown>>();

/**
 * Returns the schemas of a document whose evaluated properties and items decide what `unevaluatedProperties` and
 * `unevaluatedItems` apply to.
 */
export function evaluatedParts(document: OpenApiDocument): ReadonlySet<unknown> {
  const existing = partsByDocument.get(document);
  if (existing) {
    return existing;
  }
  const parts = new Set<unknown>();
  const visited = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) {
      return;
    }
    visited.add(value);
    if (isObject(value) && restrictsUnevaluated(value)) {
      addEvaluatedParts(document, value, parts);
    }
    Object.values(value).forEach(visit);
  };
  visit(document.paths);
  visit(document.components);
  partsByDocument.set(document, parts);
  return parts;
}

/** Whether a schema restricts the properties or items that its other keywords do not evaluate. */
export function restrictsUnevaluated(schema: Record<string, unknown>): boolean {
  return 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
}

/** Adds a schema, and all schemas that apply to the same value. */
export function addEvaluatedParts(document: OpenApiDocument, schema: unknown, parts: Set<unknown>): void {
  if (!isObject(schema) || parts.has(schema)) {
    return;
  }
  parts.add(schema);
  const { $ref, allOf, anyOf, oneOf, if: condition, then, else: otherwise, dependentSchemas } = schema;
  const lists = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const dependent = isObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
  const target = typeof $ref === 'string' ? targetOf(document, $ref) : undefined;
  for (const part of [target, condition, then, otherwise, ...lists, ...dependent]) {
    addEvaluatedParts(document, part, parts);
  }
}

/** Returns undefined for a reference that does not resolve: only the validators that need it fail. */
function targetOf(document: OpenApiDocument, ref: string): unknown {
  try {
    return resolve(document, ref);
  } catch {
    return undefined;
  }
}
