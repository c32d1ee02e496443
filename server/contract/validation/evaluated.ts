import { type OpenApiDocument, tryResolve } from '../document.ts';
import { isObject } from '../json-values.ts';
import { visitDocument } from './grammar.ts';
import { memberRefs } from './hierarchies.ts';

/** Results by document: the validators of a document share them. */
const partsByDocument = new WeakMap<OpenApiDocument, ReadonlySet<unknown>>();

/**
 * Returns the schemas of a document with evaluated properties and items that determine what `unevaluatedProperties` and
 * `unevaluatedItems` apply to.
 */
export function evaluatedParts(document: OpenApiDocument): ReadonlySet<unknown> {
  const existing = partsByDocument.get(document);
  if (existing) {
    return existing;
  }
  const parts = new Set<unknown>();
  visitDocument(document, ({ object, kind }) => {
    if (kind === 'schema' && restrictsUnevaluated(object)) {
      addEvaluatedParts(document, object, parts);
    }
  });
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
  const targets = typeof $ref === 'string' ? targetsOf(document, $ref) : [];
  for (const part of [...targets, condition, then, otherwise, ...lists, ...dependent]) {
    addEvaluatedParts(document, part, parts);
  }
}

/** Returns no target for a reference that does not resolve: only the validators that need it fail. */
function targetsOf(document: OpenApiDocument, ref: string): readonly unknown[] {
  return [ref, ...memberRefs(document, ref)].map((target) => tryResolve(document, target));
}
