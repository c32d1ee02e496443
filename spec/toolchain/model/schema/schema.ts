import { isDeepStrictEqual } from 'node:util';
import { brief } from '../../../../server/contract/json-values.ts';
import { type Fault, faultsOf } from './faults.ts';
import { VariantGuards } from './guards.ts';
import {
  ANY_VALUE,
  type AnySchema,
  branchesOf,
  type Components,
  isAnnotation,
  NO_VALUE,
  type Schema,
  UnusableSchema,
} from './keywords.ts';
import { LeastSizes } from './least-size.ts';
import { merge } from './merge.ts';
import type { SchemaLookup } from './schema-lookup.ts';
import { kindsOf } from './types.ts';
import { Validator } from './validator.ts';
import { undeclaredIn } from './walk.ts';

export type { Fault } from './faults.ts';
export {
  type AnySchema,
  branchesOf,
  type Components,
  componentOf,
  ifUsable,
  type Schema,
  typeOf,
  typesOf,
  UnusableSchema,
} from './keywords.ts';
export { kindsOf, typesIn } from './types.ts';

/** Resolves references of schemas and validates values. */
export class SchemaSet implements SchemaLookup {
  readonly #components: Components;
  readonly #validator: Validator;
  readonly #flat = new WeakMap<Schema, Schema>();
  readonly #entered = new Set<Schema>();
  readonly #fits = new WeakMap<Schema, Map<number, boolean>>();
  readonly #guards = new VariantGuards(this);
  readonly #sizes = new LeastSizes(this);

  /** @param components schemas by pointer, see `Contract.components` */
  constructor(components: Components) {
    this.#components = components;
    this.#validator = new Validator(components, (branch) => this.guardOf(branch));
  }

  /** Returns whether a value is valid. @throws {UnusableSchema} if the schema cannot be compiled */
  accepts(schema: AnySchema, value: unknown): boolean {
    return this.#validator.errors(schema, value).length === 0;
  }

  /**
   * Returns the faults of a value for messages. For unions only those of the closest variant. Empty if the value is
   * valid.
   * @throws {UnusableSchema} if the schema cannot be compiled
   */
  faults(schema: AnySchema, value: unknown): Fault[] {
    return faultsOf(this, this.#validator, schema, value);
  }

  /**
   * Returns JSON Pointers to undeclared fields of objects. Objects without declared fields, and those with a schema for
   * additional fields, have none.
   */
  undeclared(schema: AnySchema, value: unknown): string[] {
    return undeclaredIn(this, schema, value);
  }

  /** Resolves a reference. @throws {UnusableSchema} if its target does not exist */
  target(reference: string): Schema {
    const target = this.#components[reference];
    if (!target) {
      throw new UnusableSchema(`The document has no schema ${reference}.`);
    }
    return target;
  }

  /**
   * Returns an equivalent schema without `$ref` at the top level and with `allOf` merged. Keywords next to a union are
   * moved into its variants.
   * @throws {UnusableSchema} for an unresolved or circular reference
   */
  flat(schema: AnySchema): Schema {
    if (typeof schema === 'boolean') {
      return schema ? ANY_VALUE : NO_VALUE;
    }
    const cached = this.#flat.get(schema);
    if (cached) {
      return cached;
    }
    if (this.#entered.has(schema)) {
      throw new UnusableSchema(`The schema ${brief(schema)} refers only to itself.`);
    }
    this.#entered.add(schema);
    try {
      const result = this.#flatten(schema);
      this.#flat.set(schema, result);
      // Returns the same object if it is already flat, so that caches keyed by it apply.
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
    for (const part of parts) {
      result = merge(this.flat(part), result);
    }
    const [union, shared] = this.#unionOf(result);
    if (union) {
      const [keyword, branches] = union;
      const merged = branches.map((branch) => {
        // A branch keeps its reference if there is nothing to merge, which is used to detect recursion.
        if (!constrains(shared)) {
          return branch;
        }
        const flat = this.flat(branch);
        return isRepeated(shared, flat) ? branch : merge(flat, shared);
      });
      return { [keyword]: merged };
    }
    // All applicable schemas are merged, so this is equivalent to the simpler keyword.
    const { unevaluatedProperties, ...remaining } = result;
    return unevaluatedProperties === undefined
      ? result
      : { ...remaining, additionalProperties: remaining.additionalProperties ?? unevaluatedProperties };
  }

  /** Returns the union of a schema with its common keywords merged: `oneOf`, `anyOf`, or the branches of `if`. */
  #unionOf(schema: Schema): [union: ['oneOf' | 'anyOf', AnySchema[]] | undefined, shared: Schema] {
    const { discriminator: _, ...rest } = schema;
    const { oneOf, ...withoutOneOf } = rest;
    if (oneOf) {
      return [['oneOf', oneOf], withoutOneOf];
    }
    const { anyOf, ...withoutAny } = rest;
    if (anyOf) {
      return [['anyOf', anyOf], withoutAny];
    }
    const { if: condition, then = true, else: otherwise = true, ...withoutIf } = rest;
    if (condition === undefined) {
      return [undefined, rest];
    }
    const branches: AnySchema[] = [{ allOf: [condition, then] }, { allOf: [{ not: condition }, otherwise] }];
    return [['anyOf', branches], withoutIf];
  }

  /**
   * Returns the discriminating property of a union: required in each variant, with values that do not overlap.
   * Undefined if there is none.
   */
  tagOf(branches: readonly AnySchema[]): string | undefined {
    const flat = branches.map((branch) => this.flat(branch));
    return flat[0]?.required?.find((name) => {
      const values = flat.map((branch) => this.closed(branch, name) ?? []);
      return (
        values.every((tagValues) => tagValues.length > 0) &&
        new Set(values.flat()).size === values.flat().length
      );
    });
  }

  /** Returns the fixed values of a required property; undefined if it accepts any value. */
  closed({ properties = {}, required = [] }: Schema, name: string): unknown[] | undefined {
    const property = properties[name];
    if (property === undefined || !required.includes(name)) {
      return undefined;
    }
    const flat = this.flat(property);
    return flat.enum ?? ('const' in flat ? [flat.const] : undefined);
  }

  /** Returns the guard of a variant, see {@link VariantGuards}. */
  guardOf(branch: AnySchema): Schema | undefined {
    return this.#guards.of(branch);
  }

  /** Returns whether there may be a valid value with a nesting depth of at most `depth`. */
  fits(source: AnySchema, depth: number): boolean {
    if (depth < 0) {
      return false;
    }
    const schema = this.flat(source);
    const cached = this.#fits.get(schema) ?? new Map<number, boolean>();
    this.#fits.set(schema, cached);
    let fits = cached.get(depth);
    if (fits === undefined) {
      // A schema that refers to itself without nesting has no value this way.
      cached.set(depth, false);
      fits = this.#computeFits(schema, depth);
      cached.set(depth, fits);
    }
    return fits;
  }

  /** Returns whether all values of a schema are too large to be generated. */
  isTooLarge(schema: AnySchema): boolean {
    return this.#sizes.isTooLarge(schema);
  }

  /** @throws {UnusableSchema} if all values of a schema are too large to be generated */
  assertUsable(schema: AnySchema): void {
    this.#sizes.assertUsable(schema);
  }

  /**
   * Returns the minimum nesting depth of a valid value.
   * @throws {UnusableSchema} if there is none, or if all are too large to be generated
   */
  height(schema: AnySchema): number {
    this.assertUsable(schema);
    for (let depth = 0; depth <= 30; depth++) {
      if (this.fits(schema, depth)) {
        return depth;
      }
    }
    throw new UnusableSchema(`The schema ${brief(schema)} has no valid value, or only deeply nested ones.`);
  }

  #computeFits(schema: Schema, depth: number): boolean {
    if (isNever(schema) || this.isTooLarge(schema)) {
      return false;
    }
    if (schema.enum) {
      return schema.enum.length > 0;
    }
    if ('const' in schema) {
      return true;
    }
    const branches = branchesOf(schema);
    if (branches.length > 0) {
      return branches.some((branch) => this.fits(branch, depth));
    }
    const types = kindsOf(schema);
    return types.length === 0 || types.some((type) => this.fitsType(schema, type, depth));
  }

  /** Returns the minimum nesting depth of a valid value of a type. */
  fitsType(schema: Schema, type: string, depth: number): boolean {
    if (type === 'array') {
      const { minItems = 0, prefixItems = [], items = true } = schema;
      const needed = prefixItems.slice(0, minItems);
      if (minItems > prefixItems.length) {
        needed.push(items);
      }
      if (schema.contains !== undefined && schema.minContains !== 0) {
        needed.push(schema.contains);
      }
      return depth > 0 && needed.every((item) => this.fits(item, depth - 1));
    }
    if (type !== 'object') {
      return true;
    }
    const { properties = {}, required = [], minProperties = 0, additionalProperties } = schema;
    const inner = (name: string) => this.fits(properties[name] ?? true, depth - 1);
    if (depth <= 0 || !required.every(inner)) {
      return false;
    }
    const missing = minProperties - required.length;
    if (missing <= 0 || this.fits(additionalProperties ?? true, depth - 1)) {
      return true;
    }
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    const byPattern = Object.values(schema.patternProperties ?? {});
    return (
      byPattern.some((property) => this.fits(property, depth - 1)) || optional.filter(inner).length >= missing
    );
  }
}

/** Returns whether a schema is known to accept no value. */
const isNever = ({ not }: Schema): boolean =>
  not === true || (typeof not === 'object' && Object.keys(not).length === 0);

const constrains = (schema: Schema) => Object.keys(schema).some((key) => !isAnnotation(key));

/** Returns whether `shared` only repeats keywords of the branch: usually `type: object`. */
const isRepeated = (shared: Schema, branch: Schema): boolean =>
  Object.entries(shared).every(([key, value]) => isAnnotation(key) || isDeepStrictEqual(branch[key], value));
