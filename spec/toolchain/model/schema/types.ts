import { type AnySchema, branchesOf, type Schema, typeOf, typesOf } from './keywords.ts';

/** Keywords that imply a type. */
const KEYWORDS_OF: Record<string, string[]> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
  ],
  array: ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** Returns the types to generate: those declared, or those implied by other keywords; empty for any. */
export function kindsOf(schema: Schema): string[] {
  const types = typesOf(schema);
  if (types.length > 0) {
    return types;
  }
  return Object.keys(KEYWORDS_OF).filter((type) =>
    KEYWORDS_OF[type]?.some((keyword) => schema[keyword] !== undefined),
  );
}

/** Merges the applicable parts of a schema into one. */
export interface SchemaFlattener {
  flat(schema: AnySchema): Schema;
}

/** Returns the types that a schema accepts; empty if unrestricted. */
export function typesIn(schemas: SchemaFlattener, schema: Schema): string[] {
  if (schema.enum) {
    return schema.enum.map(typeOf);
  }
  if ('const' in schema) {
    return [typeOf(schema.const)];
  }
  const branches = branchesOf(schema).map((branch) => typesIn(schemas, schemas.flat(branch)));
  if (branches.some((types) => types.length === 0)) {
    return [];
  }
  return branches.length > 0 ? branches.flat() : typesOf(schema);
}
