import { isDeepStrictEqual } from 'node:util';
import { type Fault, faultsOf } from './faults.ts';
import {
  ANYTHING,
  type AnySchema,
  branchesOf,
  type Components,
  isAnnotation,
  NOTHING,
  type Schema,
  typeOf,
  typesOf,
  UnusableSchema,
} from './keywords.ts';
import { merge } from './merge.ts';
import { brief, Validator } from './validator.ts';
import { undeclaredIn } from './walk.ts';

export type { Fault } from './faults.ts';
export {
  type AnySchema,
  branchesOf,
  type Components,
  componentOf,
  type Schema,
  typeOf,
  typesOf,
  UnusableSchema,
} from './keywords.ts';

/** Follows the references of schemas, and judges values by them. */
export class SchemaSet {
  readonly #components: Components;
  readonly #validator: Validator;
  readonly #flat = new WeakMap<Schema, Schema>();
  readonly #entered = new Set<Schema>();
  readonly #fits = new WeakMap<Schema, Map<number, boolean>>();
  readonly #guards = new WeakMap<Schema, { guard: Schema | undefined }>();

  /** @param components by pointer, as `Contract.components` has them */
  constructor(components: Components) {
    this.#components = components;
    this.#validator = new Validator(components, (branch) => this.guardOf(branch));
  }

  /** Whether a value is valid. @throws {UnusableSchema} where the schema cannot be compiled */
  accepts(schema: AnySchema, value: unknown): boolean {
    return this.#validator.errors(schema, value).length === 0;
  }

  /**
   * What is wrong with a value, for people: of unions only what the closest variant says. Empty for a valid one.
   * @throws {UnusableSchema} where the schema cannot be compiled
   */
  faults(schema: AnySchema, value: unknown): Fault[] {
    return faultsOf(this, this.#validator, schema, value);
  }

  /**
   * JSON pointers of the fields of objects which no schema that applies to them names. Objects of which no schema
   * names a field, and those that say what other fields are, declare them all.
   */
  undeclared(schema: AnySchema, value: unknown): string[] {
    return undeclaredIn(this, schema, value);
  }

  /** What a reference leads to. @throws {UnusableSchema} where it leads nowhere */
  target(reference: string): Schema {
    const target = this.#components[reference];
    if (!target) throw new UnusableSchema(`The document has no schema ${reference}.`);
    return target;
  }

  /**
   * A schema that says the same without `$ref` at its top, and without what `allOf` can be merged into one. A
   * union has no keyword beside its variants, which hold what is said of them all.
   * @throws {UnusableSchema} for a reference that leads nowhere or only to itself
   */
  flat(schema: AnySchema): Schema {
    if (typeof schema === 'boolean') return schema ? ANYTHING : NOTHING;
    const known = this.#flat.get(schema);
    if (known) return known;
    if (this.#entered.has(schema))
      throw new UnusableSchema(`The schema ${brief(schema)} refers only to itself.`);
    this.#entered.add(schema);
    try {
      const result = this.#flatten(schema);
      this.#flat.set(schema, result);
      // What is flat already stays itself, so that what is known of it is found again.
      this.#flat.set(result, result);
      return result;
    } finally {
      this.#entered.delete(schema);
    }
  }

  #flatten(schema: Schema): Schema {
    const { $ref, allOf = [], ...rest } = schema;
    const parts = [...($ref === undefined ? [] : [this.target($ref)]), ...allOf];
    let result: Schema = rest;
    for (const part of parts) result = merge(this.flat(part), result);
    const [union, shared] = this.#unionOf(result);
    if (union) {
      const [keyword, branches] = union;
      const merged = branches.map((branch) => {
        // A branch keeps its reference where there is nothing to add: it is how recursion is noticed.
        if (!constrains(shared)) return branch;
        const flat = this.flat(branch);
        return saysNoMore(shared, flat) ? branch : merge(flat, shared);
      });
      return { [keyword]: merged };
    }
    // Everything that stands over the values is known by now, so this is the same as the simpler keyword.
    const { unevaluatedProperties, ...own } = result;
    return unevaluatedProperties === undefined
      ? result
      : { ...own, additionalProperties: own.additionalProperties ?? unevaluatedProperties };
  }

  /** The union that a schema is, with what it says of all variants: one of its own, or the ways through its `if`. */
  #unionOf(schema: Schema): [union: ['oneOf' | 'anyOf', AnySchema[]] | undefined, shared: Schema] {
    const { discriminator: _, ...rest } = schema;
    const { oneOf, ...withoutOne } = rest;
    if (oneOf) return [['oneOf', oneOf], withoutOne];
    const { anyOf, ...withoutAny } = rest;
    if (anyOf) return [['anyOf', anyOf], withoutAny];
    const { if: condition, then = true, else: otherwise = true, ...withoutIf } = rest;
    if (condition === undefined) return [undefined, rest];
    const ways: AnySchema[] = [{ allOf: [condition, then] }, { allOf: [{ not: condition }, otherwise] }];
    return [['anyOf', ways], withoutIf];
  }

  /**
   * The property that tells the variants of a union apart: one that each of them requires, with values that
   * no two of them share. Undefined where there is none.
   */
  tagOf(branches: readonly AnySchema[]): string | undefined {
    const flat = branches.map((branch) => this.flat(branch));
    return flat[0]?.required?.find((name) => {
      const values = flat.map((branch) => this.closed(branch, name) ?? []);
      return values.every((some) => some.length > 0) && new Set(values.flat()).size === values.flat().length;
    });
  }

  /** The few values of a property that an object must have; undefined where it may have any. */
  closed({ properties = {}, required = [] }: Schema, name: string): unknown[] | undefined {
    const property = properties[name];
    if (property === undefined || !required.includes(name)) return undefined;
    const flat = this.flat(property);
    return flat.enum ?? ('const' in flat ? [flat.const] : undefined);
  }

  /**
   * What all values of a variant have in common and is told at a glance: their type, what they must have, and the
   * properties with few values. Undefined for variants that do not nest: they are told as fast themselves.
   */
  guardOf(branch: AnySchema): Schema | undefined {
    if (typeof branch === 'boolean') return undefined;
    let known = this.#guards.get(branch);
    if (!known) {
      known = { guard: this.#guard(branch, 0) };
      this.#guards.set(branch, known);
    }
    return known.guard;
  }

  #guard(branch: AnySchema, depth: number): Schema | undefined {
    let flat: Schema;
    try {
      flat = this.flat(branch);
    } catch {
      // It is told where values are made of it.
      return undefined;
    }
    const branches = branchesOf(flat);
    if (branches.length > 0) {
      const guards = depth > 4 ? [] : branches.map((one) => this.#guard(one, depth + 1));
      const all = guards.filter((guard) => guard !== undefined);
      return all.length === branches.length ? { anyOf: all } : undefined;
    }
    const { type, required = [], properties } = flat;
    if (type === undefined && required.length === 0) return undefined;
    if (depth === 0 && !properties && !flat.items && !flat.additionalProperties && !flat.allOf)
      return undefined;
    const closed = required.flatMap((name) => {
      const values = this.closed(flat, name);
      return values && values.length > 0 ? [[name, { enum: values }] as const] : [];
    });
    return { ...(type !== undefined && { type }), required, properties: Object.fromEntries(closed) };
  }

  /** Whether there may be a valid value that nests arrays and objects no deeper than `depth`. */
  fits(given: AnySchema, depth: number): boolean {
    if (depth < 0) return false;
    const schema = this.flat(given);
    const known = this.#fits.get(schema) ?? new Map<number, boolean>();
    this.#fits.set(schema, known);
    let fits = known.get(depth);
    if (fits === undefined) {
      // A schema that leads to itself without nesting has no value that way.
      known.set(depth, false);
      fits = this.#fitsAnew(schema, depth);
      known.set(depth, fits);
    }
    return fits;
  }

  /** The least nesting of a valid value. @throws {UnusableSchema} where there is none */
  height(schema: AnySchema): number {
    for (let depth = 0; depth <= 30; depth++) if (this.fits(schema, depth)) return depth;
    throw new UnusableSchema(`The schema ${brief(schema)} has no valid value, or only deeply nested ones.`);
  }

  #fitsAnew(schema: Schema, depth: number): boolean {
    if (isNothing(schema)) return false;
    if (schema.enum) return schema.enum.length > 0;
    if ('const' in schema) return true;
    const branches = branchesOf(schema);
    if (branches.length > 0) return branches.some((branch) => this.fits(branch, depth));
    const types = kindsOf(schema);
    return types.length === 0 || types.some((type) => this.fitsType(schema, type, depth));
  }

  /** The same for the values of one type. */
  fitsType(schema: Schema, type: string, depth: number): boolean {
    if (type === 'array') {
      const { minItems = 0, prefixItems = [], items = true } = schema;
      const needed = prefixItems.slice(0, minItems);
      if (minItems > prefixItems.length) needed.push(items);
      if (schema.contains !== undefined && schema.minContains !== 0) needed.push(schema.contains);
      return depth > 0 && needed.every((item) => this.fits(item, depth - 1));
    }
    if (type !== 'object') return true;
    const { properties = {}, required = [], minProperties = 0, additionalProperties } = schema;
    const inner = (name: string) => this.fits(properties[name] ?? true, depth - 1);
    if (depth <= 0 || !required.every(inner)) return false;
    const missing = minProperties - required.length;
    if (missing <= 0 || this.fits(additionalProperties ?? true, depth - 1)) return true;
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    return Object.keys(schema.patternProperties ?? {}).length > 0 || optional.filter(inner).length >= missing;
  }
}

/** Whether a schema was found to let nothing in. */
const isNothing = ({ not }: Schema): boolean =>
  not === true || (typeof not === 'object' && Object.keys(not).length === 0);

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

/** The types to make values of: those that are named, or those that its other keywords are about; none for any. */
export function kindsOf(schema: Schema): string[] {
  const types = typesOf(schema);
  if (types.length > 0) return types;
  return Object.keys(KEYWORDS_OF).filter((type) =>
    KEYWORDS_OF[type]?.some((keyword) => schema[keyword] !== undefined),
  );
}

/** The types that a schema lets in; none where it does not say. */
export function typesIn(schemas: SchemaSet, schema: Schema): string[] {
  if (schema.enum) return schema.enum.map(typeOf);
  if ('const' in schema) return [typeOf(schema.const)];
  const branches = branchesOf(schema).map((branch) => typesIn(schemas, schemas.flat(branch)));
  if (branches.some((types) => types.length === 0)) return [];
  return branches.length > 0 ? branches.flat() : typesOf(schema);
}

const constrains = (schema: Schema) => Object.keys(schema).some((key) => !isAnnotation(key));

/** Whether `shared` only repeats what the branch says: most often, that it is an object. */
const saysNoMore = (shared: Schema, branch: Schema): boolean =>
  Object.entries(shared).every(([key, value]) => isAnnotation(key) || isDeepStrictEqual(branch[key], value));
