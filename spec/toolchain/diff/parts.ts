import { isObject, type Json, type JsonObject } from '../document.ts';
import { canonical } from './canonical.ts';
import {
  type Atom,
  atoms,
  type Bound,
  bounds,
  componentName,
  isFree,
  isNever,
  type Kind,
  type Limit,
  type Part,
  type Schema,
} from './form.ts';

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
  const own = values && new Set([...values].filter((value) => kindOf(value) === kind));
  if (own?.size === 0) {
    return undefined;
  }
  const all = (key: string): Json[] =>
    schemas.flatMap((plain) => (plain[key] === undefined ? [] : [plain[key]]));
  const texts = (key: string): string[] =>
    [...new Set(all(key).filter((value) => typeof value === 'string'))].sort();
  const name = all(componentName).find((value) => typeof value === 'string');
  const everyBoolean = kind === 'boolean' && own?.size === 2;
  return {
    kind,
    integer,
    ...(own !== undefined && !everyBoolean && { values: own }),
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

/** Merges the variants of a union into as few equivalent parts as possible. */
export function reduceParts(parts: readonly Part[], exclusive: boolean): Part[] {
  if (new Set(parts.map(({ kind }) => kind)).size === parts.length) {
    return [...parts];
  }
  const reduced: Part[] = [];
  for (const part of parts) {
    const alike = reduced.findIndex((other) => other.kind === part.kind && key(other) === key(part));
    const other = reduced[alike];
    if (other === undefined) {
      reduced.push(part);
    } else if (part.values === undefined || other.values === undefined) {
      // Parts without values are equal if their keys are.
      if (part.values !== other.values) {
        reduced.push(part);
      }
    } else {
      const values = new Set([...other.values, ...part.values]);
      const { values: _, ...rest } = other;
      reduced[alike] = part.kind === 'boolean' && values.size === 2 ? rest : { ...rest, values };
    }
  }
  if (exclusive) {
    return reduced;
  }
  // An enum next to an unconstrained string has no effect.
  return reduced.filter(
    (part) =>
      !reduced.some(
        (other) =>
          other !== part && other.kind === part.kind && isFree(other) && (!other.integer || part.integer),
      ),
  );
}

/** Constraints of a part besides its values. Variants with different names stay separate. */
function key(part: Part): string {
  const cached = keys.get(part);
  if (cached !== undefined) {
    return cached;
  }
  const { values, name, ...rest } = part;
  const partKey = canonical(
    JSON.parse(
      JSON.stringify({ ...rest, name: part.kind === 'object' ? (name ?? null) : null }, (_, value) =>
        value instanceof Map || value instanceof Set ? [...value] : value,
      ),
    ),
  );
  keys.set(part, partKey);
  return partKey;
}

const keys = new WeakMap<Part, string>();

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

function limitsOf(
  kind: Kind,
  schemas: Alternative,
  isVersion30: boolean,
  integer: boolean,
): Map<Bound, Limit> {
  const limits = new Map<Bound, Limit>();
  function add(bound: Bound, value: Json | undefined, exclusive = false): void {
    const { side, none, of } = bounds[bound];
    if (typeof value !== 'number' || of !== kind) {
      return;
    }
    // For integers, more than 3 is at least 4.
    const whole = exclusive && integer;
    const step = side === 'lower' ? 1 : -1;
    const limit = whole
      ? { value: (side === 'lower' ? Math.floor(value) : Math.ceil(value)) + step, exclusive: false }
      : { value, exclusive };
    if (limit.value === none) {
      return;
    }
    const before = limits.get(bound);
    if (before === undefined || compareLimits(bound, before, limit) < 0) {
      limits.set(bound, limit);
    }
  }
  for (const plain of schemas) {
    for (const [bound, { of }] of Object.entries(bounds)) {
      // The keys of a constant are exactly the bounds.
      if (of !== 'number') {
        add(bound as Bound, plain[bound]);
      }
    }
    // Exclusive bounds are booleans next to the bound in 3.0, and separate bounds in 3.1.
    add('minimum', plain.minimum, isVersion30 && plain.exclusiveMinimum === true);
    add('maximum', plain.maximum, isVersion30 && plain.exclusiveMaximum === true);
    add('minimum', plain.exclusiveMinimum, true);
    add('maximum', plain.exclusiveMaximum, true);
  }
  return limits;
}

/** Positive if the second limit is wider, negative if it is narrower. */
export function compareLimits(bound: Bound, before: Limit, after: Limit): number {
  const wider = bounds[bound].side === 'lower' ? before.value - after.value : after.value - before.value;
  if (wider !== 0 && !Number.isNaN(wider)) {
    return wider;
  }
  return Number(before.exclusive) - Number(after.exclusive);
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
