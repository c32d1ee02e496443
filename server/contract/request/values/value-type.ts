import { type OpenApiDocument, schemaOf } from '../../document.ts';
import { isObject } from '../../json-values.ts';
import { lazily } from '../../lazily.ts';
import { patternOf } from '../../validation/patterns/patterns.ts';
import { compileSchema } from '../../validation/schema-check.ts';

/** JSON type that a text or a group of texts can become. */
export type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object';

/** What reading the text of a value requires of its schema. Validation applies the schema itself. */
export interface ValueType {
  /** Permitted types; undefined if any is permitted. */
  readonly kinds: ReadonlySet<Kind> | undefined;
  /** The alternatives of a union, without further unions and compositions. */
  readonly alternatives: readonly Alternative[];
  /** Returns whether the schema permits a value. */
  accepts(value: unknown): boolean;
}

/** One of the alternatives of a schema. */
export interface Alternative {
  readonly kinds: ReadonlySet<Kind> | undefined;
  /** Schemas of the declared properties. */
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: readonly string[];
  readonly patterns: readonly (readonly [string, unknown])[];
  /** Schema of all other properties; undefined if it is not specified, false if there are none. */
  readonly additional: unknown;
  /** Schemas of the first items. */
  readonly prefixItems: readonly unknown[];
  /** Schema of the other items. */
  readonly items: unknown;
  /** Returns the texts of the properties that have only some values, such as that of a discriminator. */
  readonly fixed: () => ReadonlyMap<string, ReadonlySet<string>>;
}

/** Maximum depth of nested unions and compositions. Guards against recursive schemas. */
export const MAX_COMPOSITION_DEPTH = 8;
/** Maximum number of alternatives that are distinguished when a value is read. */
const MAX_ALTERNATIVES = 64;

/** The types of a document by schema. */
const types = new WeakMap<OpenApiDocument, WeakMap<object, ValueType>>();

/** Returns the type of the values of a schema. */
export function valueType(document: OpenApiDocument, schema: unknown): ValueType {
  if (!isObject(schema)) {
    return ANY;
  }
  const known = types.get(document) ?? new WeakMap<object, ValueType>();
  types.set(document, known);
  const type = known.get(schema) ?? createType(document, schema);
  known.set(schema, type);
  return type;
}

/** Returns the type of the values of several schemas. */
function unionType(document: OpenApiDocument, schemas: readonly unknown[]): ValueType {
  const members = [...new Set(schemas)].map((schema) => valueType(document, schema));
  const [first = ANY] = members;
  if (members.length < 2) {
    return first;
  }
  const alternatives = members.flatMap((member) => member.alternatives).slice(0, MAX_ALTERNATIVES);
  return {
    kinds: kindsOfAll(alternatives),
    alternatives,
    accepts: (value) => members.some((member) => member.accepts(value)),
  };
}

const ANY: ValueType = { kinds: undefined, alternatives: [], accepts: () => true };

function createType(document: OpenApiDocument, schema: unknown): ValueType {
  const alternatives = alternativesOf(document, schema, 0);
  const check = compileSchema(document, schema);
  return {
    kinds: kindsOfAll(alternatives),
    alternatives,
    accepts: (value) => check(value).length === 0,
  };
}

function kindsOfAll(alternatives: readonly Alternative[]): ReadonlySet<Kind> | undefined {
  const kinds = new Set<Kind>();
  for (const alternative of alternatives) {
    if (!alternative.kinds) {
      return undefined;
    }
    for (const kind of alternative.kinds) {
      kinds.add(kind);
    }
  }
  return kinds;
}

function alternativesOf(document: OpenApiDocument, schema: unknown, depth: number): Alternative[] {
  const resolved = schemaOf(document, schema);
  let alternatives = [ownAlternative(document, resolved)];
  if (depth >= MAX_COMPOSITION_DEPTH) {
    return alternatives;
  }
  const { allOf, oneOf, anyOf } = resolved;
  const expand = (part: unknown) => alternativesOf(document, part, depth + 1);
  const parts = Array.isArray(allOf) ? allOf.map(expand) : [];
  const unions = [oneOf, anyOf].flatMap((union) => (Array.isArray(union) ? [union.flatMap(expand)] : []));
  for (const part of [...parts, ...unions]) {
    alternatives = alternatives
      .flatMap((alternative) => part.map((other) => intersection(alternative, other)))
      .slice(0, MAX_ALTERNATIVES);
  }
  return alternatives;
}

function ownAlternative(document: OpenApiDocument, schema: Record<string, unknown>): Alternative {
  const { patternProperties, additionalProperties, unevaluatedProperties, required } = schema;
  const properties = isObject(schema.properties) ? schema.properties : {};
  return {
    kinds: ownKinds(schema),
    properties: new Map(Object.entries(properties)),
    required: Array.isArray(required) ? required : [],
    patterns: isObject(patternProperties) ? Object.entries(patternProperties) : [],
    additional: additionalProperties ?? unevaluatedProperties,
    prefixItems: Array.isArray(schema.prefixItems) ? schema.prefixItems : [],
    items: schema.items,
    fixed: lazily(() => fixedTexts(document, Object.entries(properties))),
  };
}

/** Returns the texts of the properties with a constant or an enumeration. */
function fixedTexts(
  document: OpenApiDocument,
  properties: readonly [string, unknown][],
): Map<string, Set<string>> {
  const fixed = properties.flatMap(([name, property]): [string, Set<string>][] => {
    const { const: constant, enum: members } = schemaOf(document, property);
    const values = Array.isArray(members) ? members : constant === undefined ? [] : [constant];
    return values.length === 0 ? [] : [[name, new Set(values.map(String))]];
  });
  return new Map(fixed);
}

const OBJECT_KEYWORDS = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];
const KINDS: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
const isKind = (name: unknown): name is Kind => typeof name === 'string' && KINDS.includes(name);

/** Returns the types that a schema itself permits: those of its values, and of its keywords if it has no `type`. */
function ownKinds(schema: Record<string, unknown>): ReadonlySet<Kind> | undefined {
  const { type, const: constant, enum: members } = schema;
  if (type !== undefined) {
    return new Set([type].flat().filter(isKind));
  }
  if (constant !== undefined || Array.isArray(members)) {
    return new Set((Array.isArray(members) ? members : [constant]).map(kindOf));
  }
  if (OBJECT_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) {
    return new Set(['object']);
  }
  return schema.items === undefined && schema.prefixItems === undefined ? undefined : new Set(['array']);
}

function kindOf(value: unknown): Kind {
  if (value === null) {
    return 'null';
  }
  const name = Array.isArray(value) ? 'array' : typeof value;
  return isKind(name) ? name : 'string';
}

/** Returns what permits only the values that both alternatives permit. */
function intersection(one: Alternative, other: Alternative): Alternative {
  const properties = new Map(one.properties);
  for (const [name, schema] of other.properties) {
    properties.set(name, properties.has(name) ? both(properties.get(name), schema) : schema);
  }
  return {
    kinds: commonKinds(one.kinds, other.kinds),
    properties,
    required: [...one.required, ...other.required],
    patterns: [...one.patterns, ...other.patterns],
    additional: one.additional ?? other.additional,
    prefixItems: one.prefixItems.length > 0 ? one.prefixItems : other.prefixItems,
    items:
      one.items === undefined || other.items === undefined
        ? (one.items ?? other.items)
        : both(one.items, other.items),
    fixed: lazily(() => new Map([...one.fixed(), ...other.fixed()])),
  };
}

const both = (one: unknown, other: unknown) => (one === other ? one : { allOf: [one, other] });

function commonKinds(
  one: ReadonlySet<Kind> | undefined,
  other: ReadonlySet<Kind> | undefined,
): ReadonlySet<Kind> | undefined {
  if (!one || !other) {
    return one ?? other;
  }
  const common = new Set([...one].filter((kind) => other.has(kind)));
  if ([one, other].every((kinds) => kinds.has('integer') || kinds.has('number'))) {
    common.add(common.has('number') ? 'number' : 'integer');
  }
  return common;
}

/** Returns whether a type permits lists, objects, or values that one text represents. */
export const permitsList = ({ kinds }: ValueType) => kinds?.has('array') === true;
export const permitsObject = ({ kinds }: ValueType) => kinds?.has('object') === true;
export const permitsText = ({ kinds }: ValueType) =>
  !kinds || [...kinds].some((kind) => kind !== 'array' && kind !== 'object');

/** Returns the schemas of the item of a list at an index, in all alternatives. */
export const itemSchemas = ({ alternatives }: Pick<ValueType, 'alternatives'>, index: number): unknown[] =>
  alternatives
    .filter(({ kinds }) => kinds?.has('array'))
    .map(({ prefixItems, items }) => prefixItems[index] ?? items);

/** Returns the type of the item of a list at an index. */
export const itemType = (document: OpenApiDocument, type: ValueType, index: number): ValueType =>
  unionType(document, itemSchemas(type, index));

/** Returns the type of a property in some of the alternatives of an object. */
export function propertyType(
  document: OpenApiDocument,
  alternatives: readonly Alternative[],
  name: string,
): ValueType {
  const schemas = alternatives.flatMap(({ properties, patterns, additional }) => {
    if (properties.has(name)) {
      return [properties.get(name)];
    }
    const matching = patterns.filter(([pattern]) => patternOf(pattern).test(name));
    return matching.length > 0 ? matching.map(([, schema]) => schema) : [additional];
  });
  return unionType(document, schemas);
}

/** Returns the schemas of a declared property in all alternatives. */
export const propertySchemas = ({ alternatives }: ValueType, name: string): unknown[] => [
  ...new Set(alternatives.flatMap(({ properties }) => (properties.has(name) ? [properties.get(name)] : []))),
];

/** Returns the names of the properties that a type declares. */
export const propertyNames = ({ alternatives }: ValueType): Set<string> =>
  new Set(alternatives.flatMap(({ properties }) => [...properties.keys()]));

/** Returns whether an object may have properties of any name, because it states so or declares none. */
export const isMap = ({ alternatives }: ValueType): boolean =>
  alternatives.some(
    ({ kinds, additional, properties, patterns }) =>
      kinds?.has('object') &&
      (patterns.length > 0 || (additional === undefined ? properties.size === 0 : additional !== false)),
  );
