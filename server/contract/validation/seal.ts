import { type OpenApiDocument, tryResolve } from '../document.ts';
import { isObject, listOf } from '../json-values.ts';
import { visitDocument } from './grammar.ts';

/** Returns the keywords that reject undeclared properties of a schema's values; none if it permits them. */
export type Seal = (schema: Record<string, unknown>) => Record<string, unknown>;

/**
 * Returns the seal of the responses of a contract. Published responses are open, because clients must ignore undeclared
 * properties, but a server sends only what the contract declares. Objects with declared properties are sealed unless
 * their schema states something about others, such as `additionalProperties: true`. Unions with properties of their
 * own, and conditions, are not sealed.
 */
export function sealOf(document: OpenApiDocument): Seal {
  const parts = partsOf(document);
  return (schema) => {
    if (parts.has(schema) || 'additionalProperties' in schema || 'unevaluatedProperties' in schema) {
      return {};
    }
    // No object can satisfy a schema that requires a property and rejects it.
    if (requiresUndeclared(schema)) {
      return {};
    }
    if (piecesOf(schema) <= 1) {
      return isObject(schema.properties) ? { additionalProperties: false } : {};
    }
    return consistsOfObjects(document, schema, new Set()) ? { unevaluatedProperties: false } : {};
  };
}

const UNIONS = ['oneOf', 'anyOf'];
const CONDITIONS = ['if', 'then', 'else', 'not', 'dependentSchemas'];

/** Returns whether a schema without compositions requires a property that it does not declare. */
function requiresUndeclared(schema: Record<string, unknown>): boolean {
  const { required, dependentRequired, properties, allOf, $ref, patternProperties } = schema;
  const declared = isObject(properties) ? properties : {};
  const isWhole = allOf === undefined && $ref === undefined && patternProperties === undefined;
  const dependent = isObject(dependentRequired) ? Object.values(dependentRequired).flatMap(listOf) : [];
  return (
    isWhole && [...listOf(required), ...dependent].some((name) => !Object.hasOwn(declared, String(name)))
  );
}

/** Returns the number of schemas that apply to a value together: a union and a condition count as one each. */
function piecesOf(schema: Record<string, unknown>): number {
  const others = ['$ref', 'properties', ...UNIONS, ...CONDITIONS].filter((keyword) => keyword in schema);
  return others.length + listOf(schema.allOf).length;
}

/** Returns the schemas that apply together with others, so that they do not declare all properties of a value. */
function partsOf(document: OpenApiDocument): Set<unknown> {
  const parts = new Set<unknown>();

  function addPart(schema: unknown): void {
    if (!isObject(schema) || parts.has(schema)) {
      return;
    }
    parts.add(schema);
    addMembers(schema);
  }
  function addMembers(schema: Record<string, unknown>): void {
    if (typeof schema.$ref === 'string') {
      addPart(tryResolve(document, schema.$ref));
    }
    for (const keyword of ['allOf', ...UNIONS]) {
      listOf(schema[keyword]).forEach(addPart);
    }
    for (const keyword of CONDITIONS) {
      addPart(schema[keyword]);
    }
  }
  visitDocument(document, ({ object, kind }) => {
    if (kind === 'schema' && piecesOf(object) > 1) {
      addMembers(object);
    }
  });
  return parts;
}

/** Returns whether a schema composes only objects, so that `unevaluatedProperties` finds all their properties. */
function consistsOfObjects(document: OpenApiDocument, schema: unknown, entered: Set<unknown>): boolean {
  if (!isObject(schema) || entered.has(schema)) {
    return false;
  }
  if ([...UNIONS, ...CONDITIONS].some((keyword) => keyword in schema)) {
    return false;
  }
  const target = typeof schema.$ref === 'string' ? [tryResolve(document, schema.$ref)] : [];
  const members = [...listOf(schema.allOf), ...target];
  const inner = new Set([...entered, schema]);
  return (
    (isObject(schema.properties) || members.length > 0) &&
    members.every((member) => consistsOfObjects(document, member, inner))
  );
}
