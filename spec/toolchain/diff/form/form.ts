import type { Json, JsonObject } from '../../document.ts';

/** Types of values that schemas distinguish. Whole numbers are `integer`. */
export const ATOMS = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'] as const;
/** Type of a value. */
export type Atom = (typeof ATOMS)[number];

/** Schema: an object of keywords, or a boolean. */
export type Schema = Json;

/** Keywords for lower and upper bounds, with the value that is equivalent to no bound. */
export const bounds = {
  minLength: { side: 'lower', none: 0, of: 'string' },
  maxLength: { side: 'upper', none: Number.POSITIVE_INFINITY, of: 'string' },
  minItems: { side: 'lower', none: 0, of: 'array' },
  maxItems: { side: 'upper', none: Number.POSITIVE_INFINITY, of: 'array' },
  minProperties: { side: 'lower', none: 0, of: 'object' },
  maxProperties: { side: 'upper', none: Number.POSITIVE_INFINITY, of: 'object' },
  minimum: { side: 'lower', none: Number.NEGATIVE_INFINITY, of: 'number' },
  maximum: { side: 'upper', none: Number.POSITIVE_INFINITY, of: 'number' },
} as const;
/** Keyword of a bound. */
export type Bound = keyof typeof bounds;
/** Value of a bound, and whether the value itself is excluded. */
export interface Limit {
  value: number;
  exclusive: boolean;
}

/** Kind of values with its own keywords. */
export type Kind = 'boolean' | 'number' | 'string' | 'array' | 'object';

/** Plain schemas without references and unions, outermost first. A value must match all of them. */
export type Alternative = readonly JsonObject[];

/** Constraints of a schema on one kind of value. */
export interface Part {
  kind: Kind;
  /** Whether numbers must be whole. */
  integer: boolean;
  /** Allowed values as canonical JSON; omitted without an enum. */
  values?: ReadonlySet<string>;
  limits: ReadonlyMap<Bound, Limit>;
  /** Sorted; a value matches all of them. */
  patterns: readonly string[];
  /** Sorted; a value has all of them. */
  formats: readonly string[];
  /** Sorted; a number is a multiple of each. */
  multiples: readonly number[];
  /** Whether the items of an array must be unique. */
  unique: boolean;
  /** Schemas of the first items of an array. */
  prefix: readonly Schema[];
  /** Schema of the other items. */
  items: Schema;
  properties: ReadonlyMap<string, Schema>;
  required: ReadonlySet<string>;
  /** Schemas of the properties with names that match a pattern. */
  patternProperties: ReadonlyMap<string, Schema>;
  /** Schema of undeclared properties; `false` in a sealed object. */
  extra: Schema;
  /** Keywords that no rule interprets. Only whether they changed is reported. */
  other: ReadonlyMap<string, Json>;
  /** Component name of the part. */
  name?: string;
  /** Schemas that the part merges. */
  plains: Alternative;
  /** Names of the unions that the part is a variant of, outermost first. */
  unions: readonly string[];
  /** Schemas that apply in addition. Their variants are not combined with those of this schema. */
  factors: readonly Schema[];
}

/**
 * Normal form of a schema, independent of its notation: references are followed, `allOf` is merged, and unions are
 * lists of parts. `anyOf` with null, a list of types, and 3.0's `nullable` have the same form.
 */
export interface Form {
  nullable: boolean;
  /** Several parts of the same kind are variants of a union. */
  parts: readonly Part[];
  /** Whether a value must match exactly one part (`oneOf`). */
  exclusive: boolean;
  /** Why schemas within `allOf` are not combined, if they are too many. */
  uncombined?: string;
  /** Property that distinguishes variants, with component names by value. */
  discriminator?: { property: string; names: ReadonlyMap<string, string> };
  /** Default value. */
  default?: Json;
  deprecated: boolean;
  readOnly: boolean;
  writeOnly: boolean;
}

/** Types of values that a form allows. */
export function atomsOf(form: Form): Set<Atom> {
  const allowedAtoms = new Set<Atom>(form.nullable ? ['null'] : []);
  for (const part of form.parts) {
    if (part.kind !== 'number') {
      allowedAtoms.add(part.kind);
    } else if (part.values === undefined) {
      allowedAtoms.add('integer');
      if (!part.integer) {
        allowedAtoms.add('fraction');
      }
    } else {
      for (const value of part.values) {
        allowedAtoms.add(Number.isInteger(Number(value)) ? 'integer' : 'fraction');
      }
    }
  }
  return allowedAtoms;
}

/** Whether a part has no constraints besides its kind. */
export function isFree(part: Part): boolean {
  return (
    part.values === undefined &&
    part.limits.size === 0 &&
    part.patterns.length === 0 &&
    part.formats.length === 0 &&
    part.multiples.length === 0 &&
    !part.unique &&
    part.prefix.length === 0 &&
    isAny(part.items) &&
    part.properties.size === 0 &&
    part.required.size === 0 &&
    part.patternProperties.size === 0 &&
    isAny(part.extra) &&
    part.other.size === 0 &&
    part.factors.length === 0
  );
}

/** Whether a schema has no constraints. */
export function isAny(schema: Schema): boolean {
  return (
    schema === true || (typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0)
  );
}

/** Whether a schema allows no value, as in sealed objects. */
export function isNever(schema: Schema): boolean {
  if (schema === false) {
    return true;
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return false;
  }
  return Object.keys(schema).length === 1 && schema.not !== undefined && isAny(schema.not);
}
