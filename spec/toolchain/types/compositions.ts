import { isObject, type Json, type JsonObject, type OpenApiDocument } from '../document.ts';
import { eachObject } from '../rewrite.ts';
import { constraintOf, withImpliedType } from './constraints.ts';
import { withListedNames } from './listed-names.ts';
import { breakCycles } from './reference-cycles.ts';
import { declaredProperties, type Models, targetOf, variantsOf } from './schema-members.ts';
import { SHAPE } from './shapes.ts';

/** Declarations of properties by name. */
type Declared = ReadonlyMap<string, Json[]>;

/** Keywords that do not constrain values, but that the comments of types show. */
const ANNOTATIONS = [
  ...['title', 'summary', 'description', 'deprecated', 'default', 'example', 'examples'],
  ...['readOnly', 'writeOnly', 'format'],
];

/**
 * Rewrites the schemas of a document so that the library declares their types as they are validated. It supports either
 * the members of a schema or one list of schemas, so that a schema with both becomes `allOf`. A schema that only
 * requires properties declares them, with the types that they have in the schemas around it. Modifies the document.
 */
export function composeSchemas(document: OpenApiDocument): void {
  const models = document.components?.schemas ?? {};
  const composer = new Composer(structuredClone(models));
  const owners: { owner: JsonObject; name: string }[] = [];
  // All are JSON, although their types list only some members.
  const { schemas: _, ...shared } = document.components ?? {};
  eachObject([document.paths as Json, document.webhooks ?? {}, shared as Json], (object) => {
    describeContent(object);
    if (object.schema !== undefined) {
      owners.push({ owner: object, name: 'schema' });
    }
  });
  for (const name of Object.keys(models)) {
    owners.push({ owner: models, name });
  }
  for (const { owner, name } of owners) {
    const schema = composer.compose(owner[name] ?? {});
    owner[name] = isObject(schema) ? schema : schema === false ? { enum: [] } : {};
  }
  breakCycles(models);
}

/** A parameter has the type of its content. */
function describeContent(object: JsonObject): void {
  if (typeof object.in === 'string' && object.schema === undefined && isObject(object.content)) {
    const [media] = Object.values(object.content);
    object.schema = isObject(media) && isObject(media.schema) ? structuredClone(media.schema) : {};
  }
}

class Composer {
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  /** @param around declarations of the schemas around a schema of the same value */
  compose(schema: Json, around: Declared = new Map()): Json {
    if (!isObject(schema)) {
      return schema !== false;
    }
    if (schema[SHAPE] !== undefined) {
      return schema;
    }
    const { $ref, allOf, anyOf, oneOf, ...own } = withImpliedType(withListedNames(this.#models, schema));
    const composes = $ref !== undefined || allOf !== undefined || anyOf !== undefined || oneOf !== undefined;
    const declared = composes ? merged(around, declaredProperties(this.#models, schema)) : around;
    if (composes && own.unevaluatedProperties === false) {
      delete own.unevaluatedProperties;
    }
    const inner = (part: Json) => this.compose(part, declared);
    const unions = [anyOf, oneOf].flatMap((variants) =>
      Array.isArray(variants) ? [unionOf(variants.map(inner))] : [],
    );
    const parts = [
      ...(typeof $ref === 'string' ? [{ $ref }] : []),
      this.#constraint(own, schema, declared),
      ...(Array.isArray(allOf) ? allOf.map(inner) : []),
      ...unions,
    ].filter((part) => part !== true && !(isObject(part) && isUnconstrained(part)));
    const annotations = pick(schema, ANNOTATIONS);
    if (parts.includes(false)) {
      return { ...annotations, enum: [] };
    }
    const members = this.#withoutAnyObject(parts.filter(isObject));
    const [only, ...others] = members;
    if (only === undefined) {
      return annotations;
    }
    return others.length === 0 ? { ...only, ...annotations } : { ...annotations, allOf: members };
  }

  /** Returns what the own keywords of a schema constrain: true if nothing. */
  #constraint(own: JsonObject, schema: JsonObject, declared: Declared): Json {
    const constraint = constraintOf(own);
    if (!isObject(constraint)) {
      return constraint;
    }
    for (const keyword of ['items', 'additionalProperties'] as const) {
      const inner = constraint[keyword];
      if (isObject(inner)) {
        constraint[keyword] = this.compose(inner);
      }
    }
    if (Array.isArray(constraint.prefixItems)) {
      constraint.prefixItems = constraint.prefixItems.map((item) => this.compose(item));
    }
    return 'enum' in constraint || 'const' in constraint
      ? constraint
      : this.#object(constraint, schema, declared);
  }

  /** Declares required properties, and the properties that have no declared name. */
  #object(constraint: JsonObject, schema: JsonObject, declared: Declared): JsonObject {
    const { patternProperties, unevaluatedProperties, ...object } = constraint;
    const properties = isObject(object.properties) ? object.properties : {};
    const required = Array.isArray(object.required) ? object.required.map(String) : [];
    const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
    const unnamed = [object.additionalProperties, unevaluatedProperties].filter(
      (extra) => extra !== undefined,
    );
    const missing = required.filter((name) => !Object.hasOwn(properties, name));
    const all = Object.fromEntries([
      ...Object.entries(properties),
      ...missing.flatMap((name) => {
        const property = requiredProperty(declared.get(name) ?? [], unnamed);
        return property === undefined ? [] : [[name, property] as const];
      }),
    ]);
    const composed = Object.fromEntries(
      Object.entries(all).map(([name, property]) => [name, this.compose(property)]),
    );
    const result: JsonObject =
      Object.keys(all).length > 0 ? { ...object, properties: composed } : { ...object };
    delete result.additionalProperties;
    const extras = [...unnamed.filter((extra) => extra !== false), ...patterns];
    if (extras.some((extra) => extra === true || (isObject(extra) && isUnconstrained(extra)))) {
      return { ...result, additionalProperties: {} };
    }
    if (extras.length === 0) {
      return unnamed.includes(false) || Object.keys(all).length > 0 || !isObjectType(object)
        ? result
        : { ...result, additionalProperties: true };
    }
    // The index signature of the type applies to all properties, whatever declares them.
    const others = unevaluatedProperties === undefined ? all : this.#evaluated(schema);
    const values = unionOf([...extras, ...Object.values(others)].map((value) => this.compose(value)));
    return { ...result, additionalProperties: values };
  }

  /** Returns the properties that a schema declares, with its parts and variants. */
  #evaluated(schema: JsonObject): JsonObject {
    const declared = declaredProperties(this.#models, schema, { variants: true });
    return Object.fromEntries(
      [...declared].map(([name, [first = true, ...others]]) => [
        name,
        others.length === 0 ? first : { anyOf: [first, ...others] },
      ]),
    );
  }

  /** Objects of any kind only restrict schemas that also match other values. */
  #withoutAnyObject(parts: JsonObject[]): JsonObject[] {
    const others = parts.filter((part) => !isAnyObject(part));
    if (others.length === 0) {
      return parts.slice(0, 1);
    }
    const limits = parts.filter((part) => {
      const types = new Set(typesOf(part));
      return isAnyObject(part) && !others.some((other) => this.#matchesOnly(other, types));
    });
    return [...limits.map(({ type }) => ({ [SHAPE]: 'object', type: type ?? 'object' })), ...others];
  }

  /** Whether each value of a schema certainly has one of some types. */
  #matchesOnly(schema: Json, types: ReadonlySet<string>, visited = new Set<Json>()): boolean {
    if (!isObject(schema) || visited.has(schema)) {
      return false;
    }
    visited.add(schema);
    const matches = (inner: Json) => this.#matchesOnly(inner, types, visited);
    const { allOf = [] } = schema;
    const own = typesOf(schema);
    const variants = variantsOf(schema);
    return (
      (own.length > 0 && own.every((type) => types.has(type))) ||
      matches(targetOf(this.#models, schema) ?? false) ||
      (Array.isArray(allOf) && allOf.some(matches)) ||
      (variants.length > 0 && variants.every(matches))
    );
  }
}

/** Merges declarations, those of the schema itself first. */
function merged(around: Declared, own: Declared): Declared {
  if (around.size === 0) {
    return own;
  }
  return new Map([...around, ...own]);
}

/** Maximum length of a declaration that is repeated. */
const MAX_REPEATED_LENGTH = 200;

/** Returns the schema of a property that is only required; undefined if it cannot exist. */
function requiredProperty(declarations: readonly Json[], unnamed: readonly Json[]): Json | undefined {
  const [declaration] = declarations;
  if (declaration === undefined) {
    const [extra = true] = unnamed;
    return extra === false ? undefined : extra;
  }
  if (!isObject(declaration)) {
    return declaration;
  }
  const repeated = Object.fromEntries(
    Object.entries(declaration).filter(([keyword]) => !ANNOTATIONS.includes(keyword) || keyword === 'format'),
  );
  return JSON.stringify(repeated).length <= MAX_REPEATED_LENGTH && !('properties' in repeated)
    ? repeated
    : { [SHAPE]: 'present', type: 'object' };
}

/** Returns the union of composed schemas: true if one matches everything, false if none matches anything. */
function unionOf(variants: readonly Json[]): Json {
  const possible = variants.filter(
    (variant) => variant !== false && !(isObject(variant) && isNever(variant)),
  );
  if (possible.some((variant) => variant === true || (isObject(variant) && isUnconstrained(variant)))) {
    return true;
  }
  const distinct = [
    ...new Map(possible.flatMap(membersOf).map((member) => [keyOf(member), member])).values(),
  ];
  const [only, ...others] = distinct;
  return only === undefined ? false : others.length === 0 ? only : { oneOf: distinct };
}

/** Returns the members of a union in a union. */
const membersOf = (schema: Json): Json[] =>
  isObject(schema) && Array.isArray(schema.oneOf) && schema.allOf === undefined ? schema.oneOf : [schema];

/** Returns a text that is equal for schemas with the same type. */
const keyOf = (schema: Json): string =>
  JSON.stringify(
    isObject(schema)
      ? Object.entries(schema).filter(
          ([keyword, value]) => value === 'binary' || !ANNOTATIONS.includes(keyword),
        )
      : schema,
  );

const isNever = ({ enum: members }: JsonObject): boolean => Array.isArray(members) && members.length === 0;

/** Whether a composed schema has only annotations. */
const isUnconstrained = (schema: JsonObject): boolean =>
  Object.keys(schema).every((keyword) => ANNOTATIONS.includes(keyword));

/** Whether a composed schema matches each object, and at most null besides, without a statement about its properties. */
const isAnyObject = (schema: JsonObject): boolean =>
  isObjectType(schema) &&
  schema.additionalProperties === true &&
  Object.keys(schema).every(
    (keyword) => ['type', 'additionalProperties'].includes(keyword) || ANNOTATIONS.includes(keyword),
  );

const typesOf = ({ type }: JsonObject): string[] =>
  (Array.isArray(type) ? type : type === undefined ? [] : [type]).map(String);

/** Whether objects are the only values of a schema, except null. */
const isObjectType = (schema: JsonObject): boolean => {
  const types = typesOf(schema);
  return types.includes('object') && types.every((type) => type === 'object' || type === 'null');
};

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}
