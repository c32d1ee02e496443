import { isObject, type Json, type JsonObject } from '../../document.ts';
import { canonical } from './canonical.ts';
import { type Alternative, ATOMS, type Atom, isNever, type Kind, type Part, type Schema } from './form.ts';
import { isEmptyRange, limitsOf } from './limits.ts';
import { MARKERS } from './origin.ts';

/** Document-specific options for splitting schemas. */
export interface Dialect {
  /** Whether the document is OpenAPI 3.0. */
  isVersion30: boolean;
  intersect(schemas: readonly Schema[]): Schema;
}

/** Keywords of each kind that no rule interprets; only whether they changed is reported. */
const uninterpreted: Record<Kind | 'any', ReadonlySet<string>> = {
  any: new Set(['not', 'if', 'then', 'else', 'xml']),
  boolean: new Set<string>(),
  number: new Set<string>(),
  string: new Set(['contentMediaType', 'contentEncoding', 'contentSchema']),
  array: new Set(['contains', 'minContains', 'maxContains', 'unevaluatedItems']),
  object: new Set(['propertyNames', 'dependentRequired', 'dependentSchemas']),
};

/** Splits the constraints of plain schemas by the kind of value. */
export function partsOf(alternative: Alternative, dialect: Dialect): { nullable: boolean; parts: Part[] } {
  const types = intersection(alternative.map(typesOf).filter((set) => set !== undefined)) ?? new Set(ATOMS);
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
  const limits = limitsOf(kind, schemas, isVersion30, integer);
  if (isEmptyRange(kind, limits)) {
    return undefined;
  }
  const all = (key: string): Json[] => {
    const values: Json[] = [];
    for (const { [key]: value } of schemas) {
      if (value !== undefined) {
        values.push(value);
      }
    }
    return values;
  };
  const texts = (key: string): string[] =>
    [...new Set(all(key).filter((value) => typeof value === 'string'))].sort();
  const name = all(MARKERS.component).find((value) => typeof value === 'string');
  const everyBoolean = kind === 'boolean' && valuesOfKind?.size === 2;
  return {
    kind,
    integer,
    ...(valuesOfKind !== undefined && !everyBoolean && { values: valuesOfKind }),
    limits,
    patterns: kind === 'string' ? texts('pattern') : [],
    formats: kind === 'string' || kind === 'number' ? formatsOf(kind, schemas) : [],
    multiples:
      kind === 'number'
        ? [...new Set(all('multipleOf').filter((value) => typeof value === 'number'))]
            .filter((multiple) => !(integer && multiple === 1))
            .sort((a, b) => a - b)
        : [],
    unique: kind === 'array' && all('uniqueItems').includes(true),
    prefix: kind === 'array' ? prefixOf(schemas, intersect) : [],
    items: kind === 'array' ? intersect(all('items')) : true,
    properties: kind === 'object' ? propertiesOf('properties', schemas, intersect) : none,
    patternProperties: kind === 'object' ? propertiesOf('patternProperties', schemas, intersect) : none,
    required: new Set(
      kind === 'object'
        ? all('required').flatMap((names) => (Array.isArray(names) ? names.map(String) : []))
        : [],
    ),
    extra: kind === 'object' ? extraOf(schemas, intersect) : true,
    other: otherOf(kind, schemas),
    ...(name !== undefined && { name }),
    plains: schemas,
    unions: unionsOf(schemas),
    factors: all(MARKERS.factors).flatMap((factors) => (Array.isArray(factors) ? factors : [])),
  };
}

/** Names of the unions that contain all schemas of a part: the innermost schema is in all, unless they are combined. */
function unionsOf(schemas: Alternative): string[] {
  const lists = schemas.map(({ [MARKERS.unions]: names }) => (Array.isArray(names) ? names.map(String) : []));
  const isCombined = schemas.some((plain) => plain[MARKERS.combined] === true);
  return isCombined
    ? []
    : lists.reduce((longest, names) => (names.length > longest.length ? names : longest), []);
}

/** Types that a plain schema allows, if it restricts them. */
export function typesOf(plain: JsonObject): ReadonlySet<Atom> | undefined {
  if (plain.type === undefined) {
    return undefined;
  }
  const names = Array.isArray(plain.type) ? plain.type : [plain.type];
  return new Set(
    names.flatMap((name): Atom[] =>
      name === 'number'
        ? ['integer', 'fraction']
        : ATOMS.filter((atom) => atom === name && atom !== 'fraction'),
    ),
  );
}

/** Values that a plain schema allows, as canonical JSON, if it lists them. */
export function valuesOf(plain: JsonObject): ReadonlySet<string> | undefined {
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
    if (typeof format === 'string' && (kind === 'number') === NUMERIC_FORMATS.has(format)) {
      formats.add(format);
    }
  }
  return [...formats].sort();
}

const NUMERIC_FORMATS = new Set([
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

/** A schema without `prefixItems` has the same items at each place. */
function prefixOf(schemas: Alternative, intersect: Dialect['intersect']): Schema[] {
  const lists = schemas.map(({ prefixItems, items = true }) => ({
    first: Array.isArray(prefixItems) ? prefixItems : [],
    items,
  }));
  const length = Math.max(0, ...lists.map(({ first }) => first.length));
  return Array.from({ length }, (_, index) =>
    intersect(lists.map(({ first, items }) => first[index] ?? items)),
  );
}

function propertiesOf(
  keyword: 'properties' | 'patternProperties',
  schemas: Alternative,
  intersect: Dialect['intersect'],
): Map<string, Schema> {
  const collected = new Map<string, Schema[]>();
  for (const { [keyword]: properties } of schemas) {
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

function otherOf(kind: Kind, schemas: Alternative): ReadonlyMap<string, Json> {
  const values = new Map<string, Json[]>();
  for (const plain of schemas) {
    for (const keyword in plain) {
      const value = plain[keyword];
      if (value === undefined || !(uninterpreted.any.has(keyword) || uninterpreted[kind].has(keyword))) {
        continue;
      }
      values.set(keyword, [...(values.get(keyword) ?? []), value]);
    }
  }
  if (values.get('contentEncoding')?.[0] === 'base64') {
    values.delete('contentEncoding');
  }
  return values.size === 0
    ? none
    : new Map([...values].map(([keyword, list]) => [keyword, list.length === 1 ? (list[0] ?? null) : list]));
}

const none: ReadonlyMap<string, Json> = new Map();
