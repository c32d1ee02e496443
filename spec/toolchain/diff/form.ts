import type { Json } from '../document.ts';

/** The types that values have, as far as a schema can tell them apart; a whole number is an `integer`. */
export const atoms = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'] as const;
/** One of the types that values have. */
export type Atom = (typeof atoms)[number];

/** A schema: an object of keywords, or `true` or `false`. */
export type Schema = Json;

/** The keywords that bound sizes from below or above, and what bounds nothing. */
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
/** A keyword that bounds a size. */
export type Bound = keyof typeof bounds;
/** How far a bound goes; an exclusive one leaves its own value out. */
export interface Limit {
  value: number;
  exclusive: boolean;
}

/** The kinds of values that have keywords of their own. */
export type Kind = 'boolean' | 'number' | 'string' | 'array' | 'object';

/** What a schema allows of one kind of value. Keywords of other kinds have no say in it and are left out. */
export interface Part {
  kind: Kind;
  /** Whether numbers must be whole. */
  integer: boolean;
  /** The values that are allowed, as canonical JSON; absent where the other members decide. */
  values?: ReadonlySet<string>;
  limits: ReadonlyMap<Bound, Limit>;
  /** Sorted; a value matches all of them. */
  patterns: readonly string[];
  /** Sorted; a value has all of them. */
  formats: readonly string[];
  /** Sorted; a number is a multiple of each. */
  multiples: readonly number[];
  /** Whether the items of an array must differ. */
  unique: boolean;
  /** What each item of an array is. */
  items: Schema;
  properties: ReadonlyMap<string, Schema>;
  required: ReadonlySet<string>;
  /** What a property that is not declared is; `false` in a sealed object. */
  extra: Schema;
  /** Keywords that are compared as they stand. */
  other: ReadonlyMap<string, Json>;
  /** The name of the component that the part comes from. */
  name?: string;
}

/**
 * What a schema allows, however it was spelt: references are followed, `allOf` is merged, and what is left of unions
 * is a list of parts. `anyOf` of a string and a number, a list of types, and 3.0's `nullable` have the same form.
 */
export interface Form {
  nullable: boolean;
  /** Several of one kind are variants of a union. */
  parts: readonly Part[];
  /** Whether a value may fit only one of several parts (`oneOf`). */
  exclusive: boolean;
  /** The property that tells variants apart, and which of its values means which component. */
  discriminator?: { property: string; names: ReadonlyMap<string, string> };
  /** What a request that leaves the value out means. */
  default?: Json;
  deprecated: boolean;
  readOnly: boolean;
  writeOnly: boolean;
}

/** The types of values that a form allows. */
export function atomsOf(form: Form): Set<Atom> {
  const found = new Set<Atom>(form.nullable ? ['null'] : []);
  for (const part of form.parts) {
    if (part.kind !== 'number') found.add(part.kind);
    else if (part.values === undefined) {
      found.add('integer');
      if (!part.integer) found.add('fraction');
    } else {
      for (const value of part.values) found.add(Number.isInteger(Number(value)) ? 'integer' : 'fraction');
    }
  }
  return found;
}

/** Whether nothing but its kind bounds a part. */
export function isFree(part: Part): boolean {
  return (
    part.values === undefined &&
    part.limits.size === 0 &&
    part.patterns.length === 0 &&
    part.formats.length === 0 &&
    part.multiples.length === 0 &&
    !part.unique &&
    isAny(part.items) &&
    part.properties.size === 0 &&
    part.required.size === 0 &&
    isAny(part.extra) &&
    part.other.size === 0
  );
}

/** Whether a schema says nothing. */
export function isAny(schema: Schema): boolean {
  return (
    schema === true || (typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0)
  );
}

/** Whether a schema allows nothing, as it is written for sealed objects. */
export function isNothing(schema: Schema): boolean {
  if (schema === false) return true;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false;
  return Object.keys(schema).length === 1 && schema.not !== undefined && isAny(schema.not);
}

/** Where a plain schema remembers which component it is; no keyword of a schema has this name. */
export const componentName = ' component';
