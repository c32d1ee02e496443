import { isObject, type Json, type JsonObject } from '../document.ts';

const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  array: (value) => Array.isArray(value),
  object: (value) => isObject(value),
};

const ARRAY_KEYWORDS = ['items', 'prefixItems'];
const OBJECT_KEYWORDS = [
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'unevaluatedProperties'],
];

/** Adds the type that the keywords of a schema imply if it states none. */
export function withImpliedType(schema: JsonObject): JsonObject {
  if (schema.type !== undefined) {
    return schema;
  }
  const has = (keyword: string) => schema[keyword] !== undefined;
  const isBinary = schema.format === 'binary';
  const type = ARRAY_KEYWORDS.some(has)
    ? 'array'
    : OBJECT_KEYWORDS.some(has)
      ? 'object'
      : isBinary && 'string';
  return type ? { ...schema, type } : schema;
}

/**
 * Returns the keywords of a schema that its type states, without those of other schemas: true if there are none, false
 * if no value matches them.
 */
export function constraintOf(schema: JsonObject): Json {
  if (schema.not === true || (isObject(schema.not) && Object.keys(schema.not).length === 0)) {
    return false;
  }
  const types = typesOf(schema);
  const members = schema.const === undefined ? schema.enum : [schema.const];
  if (Array.isArray(members)) {
    return constantsOf(members, types);
  }
  const constraint: JsonObject =
    types === undefined ? {} : { type: types.length === 1 ? (types[0] ?? '') : types };
  if (schema.format === 'binary') {
    constraint.format = 'binary';
  }
  const isIn = (type: string) => types === undefined || types.includes(type);
  const keywords = [
    ...(isIn('array') ? [...ARRAY_KEYWORDS, 'minItems', 'maxItems'] : []),
    ...(isIn('object') ? OBJECT_KEYWORDS : []),
  ];
  for (const keyword of keywords) {
    if (schema[keyword] !== undefined) {
      constraint[keyword] = schema[keyword];
    }
  }
  if (Array.isArray(constraint.items)) {
    const { items, ...rest } = constraint;
    return { ...rest, prefixItems: items };
  }
  return Object.keys(constraint).length > 0 ? constraint : true;
}

/**
 * Returns the declared types; undefined if there are none, or one that JSON Schema does not have. Validators also support
 * the keyword of OpenAPI 3.0 for null.
 */
function typesOf({ type, nullable }: JsonObject): string[] | undefined {
  const declared = (Array.isArray(type) ? type : [type]).map(String);
  const types = nullable === true ? [...declared, 'null'] : declared;
  return types.every((name) => Object.hasOwn(TYPES, name)) && types.length > 0
    ? [...new Set(types)]
    : undefined;
}

function constantsOf(members: readonly Json[], types: readonly string[] | undefined): Json {
  const possible = members.filter(
    (member) => types === undefined || types.some((type) => TYPES[type]?.(member) === true),
  );
  return possible.length === 0 ? false : { enum: possible };
}
