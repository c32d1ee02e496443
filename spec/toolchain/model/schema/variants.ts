import fc from 'fast-check';
import type { ObjectOptions, PropertySource } from './objects.ts';
import { type AnySchema, branchesOf, kindsOf, type Schema, type SchemaSet } from './schema.ts';

/** A value generated to test one nested value. */
export interface LocatedValue {
  value: unknown;
  /** Names and indexes of the nested value, or of the missing or unknown property. */
  path: readonly (string | number)[];
}

/** Generated values for one keyword of a schema. */
export interface Variant {
  /** The keyword that the values violate, or whose limit they reach. */
  keyword: string;
  /** Location in the schema for messages: names joined by dots, `*` for any item. */
  location: string;
  /**
   * Whether the value is within a union, or is a property name. Validators may then report a parent of the invalid
   * value, or an error of another variant.
   */
  isImprecise: boolean;
  values: fc.Arbitrary<LocatedValue>;
}

/** Source of the valid values that variants deviate from. Implemented by `SchemaArbitraries`. */
export interface ValueSource extends PropertySource {
  /** Creates minimal values. */
  readonly sparse: ValueSource;
  object(schema: Schema, depth: number, options?: ObjectOptions): fc.Arbitrary<Record<string, unknown>>;
  /** Creates names of additional properties; undefined if a schema allows none. */
  names(schema: Schema): fc.Arbitrary<string> | undefined;
  /** Returns whether a text may be generated. */
  isAllowedText(text: string): boolean;
}

/** Creates a variant for each keyword of a schema and its subschemas. Each reference is followed once. */
export abstract class SchemaVariants {
  protected readonly arbitraries: ValueSource;
  protected readonly schemas: SchemaSet;
  readonly #entered = new Set<string>();

  constructor(arbitraries: ValueSource) {
    this.arbitraries = arbitraries;
    this.schemas = arbitraries.schemas;
  }

  /** Creates the variants of a schema itself, for values of any type. */
  protected abstract ofAny(schema: Schema, depth: number): Variant[];
  /** Creates the variants of a schema itself, for values of one of its types. */
  protected abstract ofType(type: string, schema: Schema, depth: number): Variant[];
  /** Creates the variants of a union from those of its branches. */
  protected abstract ofUnion(schema: Schema, inner: Variant[], depth: number): Variant[];

  variants(source: AnySchema, depth: number): Variant[] {
    const schema = this.schemas.flat(source);
    const reference = typeof source === 'boolean' ? undefined : source.$ref;
    const branches = branchesOf(schema);
    const variants = this.ofAny(schema, depth);
    if (schema.enum || 'const' in schema) {
      return variants;
    }
    const nests = branches.length > 0 || schema.properties || schema.items || schema.additionalProperties;
    if (reference !== undefined && nests) {
      if (this.#entered.has(reference)) {
        return variants;
      }
      this.#entered.add(reference);
    }
    if (!this.schemas.fits(schema, depth)) {
      return variants;
    }
    if (branches.length > 0) {
      const inner = branches.flatMap((branch) => this.variants(branch, depth));
      return [...variants, ...this.ofUnion(schema, inner, depth)];
    }
    const inner = kindsOf(schema).flatMap((type) => [
      ...this.ofType(type, schema, depth),
      ...(type === 'array' ? this.#inItems(schema, depth) : []),
      ...(type === 'object'
        ? [...this.#inProperties(schema, depth), ...this.#inAdditionalProperties(schema, depth)]
        : []),
    ]);
    return [...variants, ...inner];
  }

  #inItems(schema: Schema, depth: number): Variant[] {
    const { items = true, minItems = 0, maxItems = Infinity, prefixItems = [] } = schema;
    if (maxItems < 1 || prefixItems.length > 0) {
      return [];
    }
    const maxLength = Math.min(maxItems, minItems + 2) - 1;
    const around = this.schemas.fits(items, depth - 1)
      ? fc.array(this.arbitraries.valid(items, depth - 1), {
          minLength: Math.max(0, minItems - 1),
          maxLength: Math.max(0, maxLength),
        })
      : fc.constant([]);
    return this.variants(items, depth - 1).map(({ values, ...variant }) => ({
      ...within('*', variant),
      values: fc.tuple(around, values, fc.nat()).map(([others, { value, path }, offset]) => {
        const index = offset % (others.length + 1);
        return { value: others.toSpliced(index, 0, value), path: [index, ...path] };
      }),
    }));
  }

  #inProperties(schema: Schema, depth: number): Variant[] {
    return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      this.variants(property, depth - 1).map(({ values, ...variant }) => ({
        ...within(name, variant),
        values: this.arbitraries.object(schema, depth, { broken: [name, values] }).map((object) => {
          // The arbitrary of this property generates only such values.
          const { value, path } = object[name] as LocatedValue;
          return { value: { ...object, [name]: value }, path: [name, ...path] };
        }),
      })),
    );
  }

  #inAdditionalProperties(schema: Schema, depth: number): Variant[] {
    const { additionalProperties: extra } = schema;
    if (extra === false || extra === undefined || extra === true) {
      return [];
    }
    const names = this.arbitraries.names(schema);
    if (!names) {
      return [];
    }
    return this.variants(extra, depth - 1).map(({ values, ...variant }) => ({
      ...within('*', variant),
      values: this.put(schema, depth, names, values),
    }));
  }

  /** Creates objects with one additional property. */
  protected put(
    schema: Schema,
    depth: number,
    names: fc.Arbitrary<string>,
    values: fc.Arbitrary<LocatedValue>,
  ): fc.Arbitrary<LocatedValue> {
    const objects = this.arbitraries.object(
      { ...schema, additionalProperties: false, minProperties: 0 },
      depth,
    );
    return fc.tuple(objects, names, values).map(([object, name, { value, path }]) => ({
      value: { ...object, [name]: value },
      path: [name, ...path],
    }));
  }
}

/** Creates a variant of a whole value, or of its property `location`. */
export const rootVariant = (keyword: string, values: fc.Arbitrary<unknown>, location = ''): Variant => ({
  keyword,
  location,
  isImprecise: false,
  values: values.map((value) => ({ value, path: [] })),
});

const within = <Some extends Omit<Variant, 'values'>>(name: string, variant: Some): Some => ({
  ...variant,
  location: variant.location === '' ? name : `${name}.${variant.location}`,
});
