import { isObject, type Json, type JsonObject } from '../document.ts';
import { transformSchemaObject, ts } from './libraries.ts';

/** Keyword of types that no schema has: `object`, or `present` for all values except undefined. */
export const SHAPE = 'x-colophon-shape';

/** Options of the transformation of a schema: the path and the context of the library. */
type SchemaOptions = Parameters<typeof transformSchemaObject>[1];

/**
 * Returns the type of a schema that the library declares differently; undefined for other schemas:
 * - binary data: `Blob`.
 * - arrays of arrays, and tuples of variable length.
 */
export function shapeOf(schema: Json, options: SchemaOptions): ts.TypeNode | undefined {
  if (!isObject(schema)) {
    return undefined;
  }
  // The library asks twice for the type of a property, so that nested ones would take exponential time.
  const known = types.get(schema);
  if (known) {
    return known;
  }
  const type = typeOfShape(schema, options);
  if (type) {
    types.set(schema, type);
  }
  return type;
}

const types = new WeakMap<JsonObject, ts.TypeNode>();

function typeOfShape(schema: JsonObject, options: SchemaOptions): ts.TypeNode | undefined {
  if (schema[SHAPE] !== undefined) {
    const isNullable = schema[SHAPE] === 'present' || Array.isArray(schema.type);
    const type = schema[SHAPE] === 'object' ? keyword(ts.SyntaxKind.ObjectKeyword) : emptyObject();
    return isNullable ? union([type, nullType()]) : type;
  }
  if (schema.format === 'binary' && schema.type !== undefined) {
    return binaryType(schema);
  }
  return schema.type === 'array' ? arrayType(schema, options) : undefined;
}

function binaryType({ type }: JsonObject): ts.TypeNode {
  const blob = ts.factory.createTypeReferenceNode('Blob');
  return Array.isArray(type) && type.includes('null') ? union([blob, nullType()]) : blob;
}

function arrayType(schema: JsonObject, options: SchemaOptions): ts.TypeNode {
  const { items = true, prefixItems, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const rest = ts.factory.createArrayTypeNode(typeOf(items, options));
  if (!Array.isArray(prefixItems)) {
    return rest;
  }
  const elements = prefixItems.slice(0, Number(maxItems)).map((item, index) => {
    const type = typeOf(item, options);
    return index < Number(minItems) ? type : ts.factory.createOptionalTypeNode(type);
  });
  const isClosed = items === false || Number(maxItems) <= prefixItems.length;
  return ts.factory.createTupleTypeNode(
    isClosed ? elements : [...elements, ts.factory.createRestTypeNode(rest)],
  );
}

function typeOf(schema: Json, options: SchemaOptions): ts.TypeNode {
  // Schemas of the document are JSON; the type of the library lists their keywords.
  return transformSchemaObject(schema as unknown as Parameters<typeof transformSchemaObject>[0], options);
}

const keyword = (kind: ts.KeywordTypeSyntaxKind): ts.TypeNode => ts.factory.createKeywordTypeNode(kind);
const nullType = (): ts.TypeNode => ts.factory.createLiteralTypeNode(ts.factory.createNull());
const emptyObject = (): ts.TypeNode => ts.factory.createTypeLiteralNode([]);
const union = (members: ts.TypeNode[]): ts.TypeNode => ts.factory.createUnionTypeNode(members);
