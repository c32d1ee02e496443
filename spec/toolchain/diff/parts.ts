import { isObject, type Json, type JsonObject } from '../document.ts';
import { canonical } from './canonical.ts';
import {
  type Atom,
  atoms,
  type Bound,
  bounds,
  componentName,
  isFree,
  isNothing,
  type Kind,
  type Limit,
  type Part,
  type Schema,
} from './form.ts';

/** Plain schemas, without references and unions, that a value matches together; the outermost first. */
export type Alternative = readonly JsonObject[];

/** What the splitting of schemas needs to know of their document. */
export interface Dialect {
  /** OpenAPI 3.0. */
  old: boolean;
  intersect(schemas: readonly Schema[]): Schema;
}

/** Keywords of each kind that are compared as they stand, since no rule here judges them. */
const unjudged: Record<Kind | 'any', readonly string[]> = {
  any: ['not', 'if', 'then', 'else', 'xml'],
  boolean: [],
  number: [],
  string: ['contentMediaType', 'contentEncoding', 'contentSchema'],
  array: ['prefixItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
  object: ['patternProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas'],
};

/** Splits what plain schemas demand together by the kind of value. */
export function partsOf(alternative: Alternative, dialect: Dialect): { nullable: boolean; parts: Part[] } {
  const types = intersection(alternative.map(typesOf).filter((set) => set !== undefined)) ?? new Set(atoms);
  const values = intersection(alternative.map(valuesOf).filter((set) => set !== undefined));
  const parts: Part[] = [];
  for (const kind of ['boolean', 'number', 'string', 'array', 'object'] as const) {
    const part = partOf(kind, types, values, alternative, dialect);
    if (part !== undefined) parts.push(part);
  }
  return { nullable: types.has('null') && (values === undefined || values.has('null')), parts };
}

function partOf(
  kind: Kind,
  types: ReadonlySet<Atom>,
  values: ReadonlySet<string> | undefined,
  plains: Alternative,
  { old, intersect }: Dialect,
): Part | undefined {
  const fits = kind === 'number' ? types.has('integer') || types.has('fraction') : types.has(kind);
  if (!fits) return undefined;
  const integer = kind === 'number' && !types.has('fraction');
  const own = values && new Set([...values].filter((value) => kindOf(value) === kind));
  if (own?.size === 0) return undefined;
  const all = (key: string): Json[] =>
    plains.flatMap((plain) => (plain[key] === undefined ? [] : [plain[key]]));
  const texts = (key: string): string[] =>
    [...new Set(all(key).filter((value) => typeof value === 'string'))].sort();
  const name = all(componentName).find((found) => typeof found === 'string');
  const everyBoolean = kind === 'boolean' && own?.size === 2;
  return {
    kind,
    integer,
    ...(own !== undefined && !everyBoolean && { values: own }),
    limits: limitsOf(kind, plains, old, integer),
    patterns: kind === 'string' ? texts('pattern') : [],
    formats: kind === 'string' || kind === 'number' ? formatsOf(kind, plains) : [],
    multiples:
      kind === 'number'
        ? [...new Set(all('multipleOf').filter((value) => typeof value === 'number'))]
            .filter((multiple) => !(integer && multiple === 1))
            .sort((a, b) => a - b)
        : [],
    unique: kind === 'array' && all('uniqueItems').includes(true),
    items: kind === 'array' ? intersect(all('items')) : true,
    properties: kind === 'object' ? propertiesOf(plains, intersect) : new Map(),
    required: new Set(
      kind === 'object'
        ? all('required').flatMap((names) => (Array.isArray(names) ? names.map(String) : []))
        : [],
    ),
    extra: kind === 'object' ? extraOf(plains, intersect) : true,
    other: otherOf(kind, plains),
    ...(name !== undefined && { name }),
  };
}

/** Brings the variants of a union to as few parts as say the same. */
export function reduceParts(parts: readonly Part[], exclusive: boolean): Part[] {
  if (new Set(parts.map(({ kind }) => kind)).size === parts.length) return [...parts];
  const reduced: Part[] = [];
  for (const part of parts) {
    const alike = reduced.findIndex((other) => other.kind === part.kind && key(other) === key(part));
    const other = reduced[alike];
    if (other === undefined) reduced.push(part);
    else if (part.values === undefined || other.values === undefined) {
      // Without values the two are the same, since their keys are.
      if (part.values !== other.values) reduced.push(part);
    } else {
      const values = new Set([...other.values, ...part.values]);
      const { values: _, ...rest } = other;
      reduced[alike] = part.kind === 'boolean' && values.size === 2 ? rest : { ...rest, values };
    }
  }
  if (exclusive) return reduced;
  // "Any string, or one of these" allows any string.
  return reduced.filter(
    (part) =>
      !reduced.some(
        (other) =>
          other !== part && other.kind === part.kind && isFree(other) && (!other.integer || part.integer),
      ),
  );
}

/** What a part demands beside its values. Variants with a name of their own stay apart. */
function key(part: Part): string {
  const known = keys.get(part);
  if (known !== undefined) return known;
  const { values, name, ...rest } = part;
  const made = canonical(
    JSON.parse(
      JSON.stringify({ ...rest, name: part.kind === 'object' ? (name ?? null) : null }, (_, value) =>
        value instanceof Map || value instanceof Set ? [...value] : value,
      ),
    ),
  );
  keys.set(part, made);
  return made;
}

const keys = new WeakMap<Part, string>();

function typesOf(plain: JsonObject): ReadonlySet<Atom> | undefined {
  if (plain.type === undefined) return undefined;
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
  if (value === 'null') return 'null';
  if (value === 'true' || value === 'false') return 'boolean';
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

function limitsOf(kind: Kind, plains: Alternative, old: boolean, integer: boolean): Map<Bound, Limit> {
  const limits = new Map<Bound, Limit>();
  function add(bound: Bound, value: Json | undefined, exclusive = false): void {
    const { side, none, of } = bounds[bound];
    if (typeof value !== 'number' || of !== kind) return;
    // More than 3 is at least 4 among whole numbers.
    const whole = exclusive && integer;
    const step = side === 'lower' ? 1 : -1;
    const limit = whole
      ? { value: (side === 'lower' ? Math.floor(value) : Math.ceil(value)) + step, exclusive: false }
      : { value, exclusive };
    if (limit.value === none) return;
    const before = limits.get(bound);
    if (before === undefined || compareLimits(bound, before, limit) < 0) limits.set(bound, limit);
  }
  for (const plain of plains) {
    for (const [bound, { of }] of Object.entries(bounds)) {
      // The keys of a constant are exactly the bounds.
      if (of !== 'number') add(bound as Bound, plain[bound]);
    }
    // 3.0 says by a boolean beside the bound whether it is exclusive; 3.1 by a bound of its own.
    add('minimum', plain.minimum, old && plain.exclusiveMinimum === true);
    add('maximum', plain.maximum, old && plain.exclusiveMaximum === true);
    add('minimum', plain.exclusiveMinimum, true);
    add('maximum', plain.exclusiveMaximum, true);
  }
  return limits;
}

/** Above zero when the second limit is wider, below when it is tighter. */
export function compareLimits(bound: Bound, before: Limit, after: Limit): number {
  const wider = bounds[bound].side === 'lower' ? before.value - after.value : after.value - before.value;
  if (wider !== 0 && !Number.isNaN(wider)) return wider;
  return Number(before.exclusive) - Number(after.exclusive);
}

function formatsOf(kind: 'string' | 'number', plains: Alternative): string[] {
  const formats = new Set<string>();
  for (const { format, contentEncoding } of plains) {
    // 3.0 calls base64 a format, 3.1 an encoding.
    if (kind === 'string' && contentEncoding === 'base64') formats.add('byte');
    if (typeof format === 'string' && (kind === 'number') === numeric.has(format)) formats.add(format);
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

function propertiesOf(plains: Alternative, intersect: Dialect['intersect']): Map<string, Schema> {
  const collected = new Map<string, Schema[]>();
  for (const { properties } of plains) {
    if (!isObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      collected.set(name, [...(collected.get(name) ?? []), schema]);
    }
  }
  return new Map([...collected].map(([name, schemas]) => [name, intersect(schemas)]));
}

/** `allOf` of sealed objects means one sealed object to who writes it, whatever validators make of it. */
function extraOf(plains: Alternative, intersect: Dialect['intersect']): Schema {
  const schemas = plains.flatMap(({ additionalProperties, unevaluatedProperties }) =>
    [additionalProperties, unevaluatedProperties].filter((schema) => schema !== undefined),
  );
  return schemas.some(isNothing) ? false : intersect(schemas);
}

function otherOf(kind: Kind, plains: Alternative): Map<string, Json> {
  const other = new Map<string, Json>();
  for (const keyword of [...unjudged.any, ...unjudged[kind]]) {
    const found = plains.flatMap((plain) => (plain[keyword] === undefined ? [] : [plain[keyword]]));
    const [first, ...rest] = found;
    if (first === undefined || (keyword === 'contentEncoding' && first === 'base64')) continue;
    other.set(keyword, rest.length === 0 ? first : found);
  }
  return other;
}
