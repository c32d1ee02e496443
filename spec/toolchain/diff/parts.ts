import { isObject, type Json, type JsonObject } from '../document.ts';
import { canonical } from './canonical.ts';
import { type Atom, atoms, componentName, isNever, type Kind, type Part, type Schema } from './form.ts';
import { limitsOf } from './limits.ts';

/** Plain schemas without references and unions, all of which a value must match; outermost first. */
export type Alternative = readonly JsonObject[];

/** Document-specific options for splitting schemas. */
export interface Dialect {
  /** Whether the document is OpenAPI 3.0. */
  isVersion30: boolean;
  intersect(schemas: readonly Schema[]): Schema;
}

/** Keywords of each kind that no rule interprets; they are compared literally. */
const uninterpreted: Record<Kind | 'any', readonly string[]> = {
  any: ['not', 'if', 'then', 'else', 'xml'],
  boolean: [],
  number: [],
  string: ['contentMediaType', 'contentEncoding', 'contentSchema'],
  array: ['prefixItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
  object: ['patternProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas'],
};

/** Splits the constraints of plain schemas by the kind of value. */
export function partsOf(alternative: Alternative, dialect: Dialect): { nullable: boolean; parts: Part[] } {
  const types = intersection(alternative.map(typesOf).filter((set) => set !== undefined)) ?? new Set(atoms);
  const values = intersection(alternative.map(valuesOf).filter((set) => set !== undefined));
  const parts: Part[] = [];
  for (const kind of ['boolean', 'number', 'string', 'array', 'object'] as const) {
    const part = partOf(kind, types, values, alternative, dialect);
    if (part !== undefined) {
      parts.push(part);
    }
  }
  return { nullable: types.has('null') && (values === undefined || values.has('null')), parts };
}

function partOf(
  kind: Kind,
  types: ReadonlySet<Atom>,
  values: ReadonlySet<string> | undefined,
  schemas: Alternative,
  { isVersion30, intersect }: Dialect,
): Part | undefined {
  const fits = kind === 'number' ? types.has('integer') || types.has('fraction') : types.has(kind);
  if (!fits) {
    return undefined;
  }
  const integer = kind === 'number' && !types.has('fraction');
  const valuesOfKind = values && new Set([...values].filter((value) => kindOf(value) === kind));
  if (valuesOfKind?.size === 0) {
    return undefined;
  }
  const all = (key: string): Json[] =>
    schemas.flatMap((plain) => (plain[key] === undefined ? [] : [plain[key]]));
  const texts = (key: string): string[] =>
    [...new Set(all(key).filter((value) => typeof value === 'string'))].sort();
  const name = all(componentName).find((value) => typeof value === 'string');
  const everyBoolean = kind === 'boolean' && valuesOfKind?.size === 2;
  return {
    kind,
    integer,
    ...(valuesOfKind !== undefined && !everyBoolean && { values: valuesOfKind }),
    limits: limitsOf(kind, schemas, isVersion30, integer),
    patterns: kind === 'string' ? texts('pattern') : [],
    formats: kind === 'string' || kind === 'number' ? formatsOf(kind, schemas) : [],
    multiples:
      kind === 'number'
        ? [...new Set(all('multipleOf').filter((value) => typeof value === 'number'))]
            .filter((multiple) => !(integer && multiple === 1))
            .sort((a, b) => a - b)
        : [],
    unique: kind === 'array' && all('uniqueItems').includes(true),
    items: kind === 'array' ? intersect(all('items')) : true,
    properties: kind === 'object' ? propertiesOf(schemas, intersect) : new Map(),
    required: new Set(
      kind === 'object'
        ? all('required').flatMap((names) => (Array.isArray(names) ? names.map(String) : []))
        : [],
    ),
    extra: kind === 'object' ? extraOf(schemas, intersect) : true,
    other: otherOf(kind, schemas),
    ...(name !== undefined && { name }),
  };
}

function typesOf(plain: JsonObject): ReadonlySet<Atom> | undefined {
  if (plain.type === undefined) {
    return undefined;
  }
  const names = Array.isArray(plain.type) ? plain.type : [plain.type];
  return new Set(
    names.flatMap((name): Atom[] =>
      name === 'number'
        ? ['integer', 'fraction']
        : atoms.filter((atom) => atom === name && atom !== 'fraction'),
    ),
  );
}

function valuesOf(plain: JsonObject): ReadonlySet<string> | undefined {
  const constant = plain.const === undefined ? undefined : new Set([canonical(plain.const)]);
  const list = Array.isArray(plain.enum) ? new Set(plain.enum.map(canonical)) : undefined;
  return constant && list ? intersection([constant, list]) : (constant ?? list);
}

function kindOf(value: string): Kind | 'null' {
  if (value === 'null') {
    return 'null';
  }
  if (value === 'true' || value === 'false') {
    return 'boolean';
  }
  return value.startsWith('"')
    ? 'string'
    : value.startsWith('[')
      ? 'array'
      : value.startsWith('{')
        ? 'object'
        : 'number';
}

function intersection<Value>(sets: readonly ReadonlySet<Value>[]): ReadonlySet<Value> | undefined {
  const [first, ...rest] = sets;
  return first && rest.reduce((left, right) => left.intersection(right), first);
}

function formatsOf(kind: 'string' | 'number', schemas: Alternative): string[] {
  const formats = new Set<string>();
  for (const { format, contentEncoding } of schemas) {
    // base64 is a format in 3.0 and an encoding in 3.1.
    if (kind === 'string' && contentEncoding === 'base64') {
      formats.add('byte');
    }
    if (typeof format === 'string' && (kind === 'number') === numeric.has(format)) {
      formats.add(format);
    }
  }
  return [...formats].sort();
}

const numeric = new Set([
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float',
  'double',
]);

function propertiesOf(schemas: Alternative, intersect: Dialect['intersect']): Map<string, Schema> {
  const collected = new Map<string, Schema[]>();
  for (const { properties } of schemas) {
    if (!isObject(properties)) {
      continue;
    }
    for (const [name, schema] of Object.entries(properties)) {
      collected.set(name, [...(collected.get(name) ?? []), schema]);
    }
  }
  return new Map([...collected].map(([name, schemas]) => [name, intersect(schemas)]));
}

/** `allOf` of sealed objects is one sealed object: authors intend this, although validators differ. */
function extraOf(schemas: Alternative, intersect: Dialect['intersect']): Schema {
  const extras = schemas.flatMap(({ additionalProperties, unevaluatedProperties }) =>
    [additionalProperties, unevaluatedProperties].filter((schema) => schema !== undefined),
  );
  return extras.some(isNever) ? false : intersect(extras);
}

function otherOf(kind: Kind, schemas: Alternative): Map<string, Json> {
  const other = new Map<string, Json>();
  for (const keyword of [...uninterpreted.any, ...uninterpreted[kind]]) {
    const values = schemas.flatMap((plain) => (plain[keyword] === undefined ? [] : [plain[keyword]]));
    const [first, ...rest] = values;
    if (first === undefined || (keyword === 'contentEncoding' && first === 'base64')) {
      continue;
    }
    other.set(keyword, rest.length === 0 ? first : values);
  }
  return other;
}
