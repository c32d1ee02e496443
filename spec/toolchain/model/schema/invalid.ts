import fc from 'fast-check';
import { somePass } from './filter.ts';
import { bounds } from './numbers.ts';
import { type AnySchema, branchesOf, type Schema, typeOf, typesIn } from './schema.ts';
import { invalidTexts } from './strings.ts';
import { type LocatedValue, rootVariant, SchemaVariants, type Variant } from './variants.ts';

/** Maximum length of generated arrays. */
const MAX_ARRAY_LENGTH = 2000;

/** Values of each type, starting with those most easily confused with another type. */
const VALUES_BY_TYPE: Record<string, unknown[]> = {
  string: ['1', 'true', '', 'null', '2026-01-01T00:00:00Z'],
  number: [1.5],
  integer: [0, 1, -1],
  boolean: [true, false],
  array: [[], ['a'], [[]]],
  object: [{}, { a: 1 }],
};

/** Generates invalid values of a schema with the path to their fault. */
export class InvalidValues extends SchemaVariants {
  /** Creates values of other types, null, and values of the right type that are not in the enum or constant. */
  protected override ofAny(schema: Schema): Variant[] {
    const invalidTypeVariants = this.#invalidTypes(schema);
    return schema.enum || 'const' in schema
      ? [...invalidTypeVariants, ...this.#outsideEnum(schema)]
      : invalidTypeVariants;
  }

  protected override ofType(type: string, schema: Schema, depth: number): Variant[] {
    switch (type) {
      case 'string':
        return invalidTexts(this.schemas, schema).map(([keyword, values]) => rootVariant(keyword, values));
      case 'integer':
      case 'number':
        return this.#ofNumber(schema, type === 'integer');
      case 'array':
        return this.#ofArray(schema, depth);
      case 'object':
        return [...this.#ofObject(schema, depth), ...this.#ofNames(schema, depth)];
      default:
        return [];
    }
  }

  #invalidTypes(schema: Schema): Variant[] {
    const types = new Set(typesIn(this.schemas, schema));
    if (types.size === 0) {
      return [];
    }
    if (types.has('number')) {
      types.add('integer');
    }
    const mismatching = Object.values(VALUES_BY_TYPE)
      .flat()
      .filter((value) => !types.has(typeOf(value)));
    return [
      ...(mismatching.length > 0 ? [rootVariant('type', fc.constantFrom(...mismatching))] : []),
      ...(types.has('null') ? [] : [rootVariant('null', fc.constant(null))]),
    ];
  }

  #outsideEnum(schema: Schema): Variant[] {
    const members = schema.enum ?? [schema.const];
    const neighbors = members.flatMap((member): unknown[] => {
      if (typeof member === 'string') {
        return [`${member}x`, member.toUpperCase(), ` ${member}`, member.slice(1)];
      }
      if (typeof member === 'number') {
        return [member + 1, member - 1];
      }
      return typeof member === 'boolean' ? [!member] : [];
    });
    const outside = neighbors.filter((value) => !members.includes(value));
    return outside.length > 0 ? [rootVariant('enum', fc.constantFrom(...outside))] : [];
  }

  #ofNumber(schema: Schema, isInteger: boolean): Variant[] {
    const { min, max } = bounds(schema, isInteger);
    const { exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const variants: Variant[] = [];
    const add = (keyword: string, value: number) => {
      const beyond = [value, value * 2].filter((number) => !this.schemas.accepts(schema, number));
      if (beyond.length > 0) {
        variants.push(rootVariant(keyword, fc.constantFrom(...beyond)));
      }
    };
    if (min > Number.MIN_SAFE_INTEGER) {
      add('minimum', min === exclusiveMinimum ? min : min - 1);
    }
    if (max < Number.MAX_SAFE_INTEGER) {
      add('maximum', max === exclusiveMaximum ? max : max + 1);
    }
    if (multipleOf !== undefined) {
      add('multipleOf', Math.max(min, 0) + multipleOf / 2);
    }
    return variants;
  }

  #ofArray(schema: Schema, depth: number): Variant[] {
    const { items = true, minItems = 0, maxItems = MAX_ARRAY_LENGTH, uniqueItems, prefixItems } = schema;
    // Tuples only become too short: the schema of an item depends on its index.
    if (prefixItems) {
      return [];
    }
    const variants: Variant[] = [];
    const item = this.schemas.fits(items, depth - 1)
      ? this.arbitraries.valid(items, depth - 1)
      : fc.constant(null);
    let shortItem: unknown;
    const shortened = (value: unknown) => {
      if (JSON.stringify(value).length <= 200) {
        return value;
      }
      shortItem ??= shortest(item);
      return shortItem;
    };
    const times = (count: number, long: boolean) =>
      item.map((value) => Array(count).fill(long ? shortened(value) : value));
    if (minItems > 0) {
      variants.push(
        rootVariant('minItems', fc.array(item, { minLength: minItems - 1, maxLength: minItems - 1 })),
      );
    }
    if (maxItems < MAX_ARRAY_LENGTH) {
      variants.push(rootVariant('maxItems', times(maxItems + 1, true)));
    }
    if (uniqueItems && maxItems > 1) {
      variants.push(rootVariant('uniqueItems', times(Math.max(minItems, 2), false)));
    }
    return variants;
  }

  #ofObject(schema: Schema, depth: number): Variant[] {
    const { properties = {}, required = [], minProperties = 0 } = schema;
    const variants: Variant[] = required.map((name) => ({
      ...rootVariant('required', fc.constant(null), name),
      values: this.arbitraries
        .object(schema, depth, { without: name })
        .map((value) => ({ value, path: [name] })),
    }));
    if (schema.additionalProperties !== false) {
      return variants;
    }
    const surplus = this.arbitraries.names({ ...schema, propertyNames: true });
    if (surplus) {
      const names = surplus.filter((name) => !name.includes('\0'));
      const values = fc.tuple(
        this.arbitraries.object(schema, depth),
        names,
        fc.constantFrom(null, 1, 'a', {}),
      );
      variants.push({
        ...rootVariant('additionalProperties', fc.constant(null), '?'),
        values: values.map(([object, name, more]) => ({ value: { ...object, [name]: more }, path: [name] })),
      });
    }
    if (minProperties > required.length) {
      const few = Object.fromEntries(Object.entries(properties).filter(([name]) => required.includes(name)));
      const values = this.arbitraries.object({ ...schema, properties: few, minProperties: 0 }, depth);
      variants.push({ ...rootVariant('minProperties', values), isImprecise: true });
    }
    return variants;
  }

  /** Creates faults in the names of additional properties. */
  #ofNames(schema: Schema, depth: number): Variant[] {
    const { additionalProperties: extra = true, propertyNames } = schema;
    if (propertyNames === undefined || !this.schemas.fits(extra, depth - 1)) {
      return [];
    }
    const valid = this.arbitraries
      .valid(extra, depth - 1)
      .map((value): LocatedValue => ({ value, path: [] }));
    const names = { type: 'string', ...this.schemas.flat(propertyNames) };
    return invalidTexts(this.schemas, names).map(([keyword, texts]) => ({
      ...rootVariant(`propertyNames ${keyword}`, fc.constant(null), '?'),
      isImprecise: true,
      values: this.put(
        schema,
        depth,
        texts.filter((name) => !name.includes('\0')),
        valid,
      ),
    }));
  }

  protected override ofUnion(schema: Schema, inner: Variant[], depth: number): Variant[] {
    const branches = branchesOf(schema);
    // Values with a type that matches no variant are variants of the union itself.
    const variants = inner.filter(
      ({ keyword, location }) => location !== '' || (keyword !== 'type' && keyword !== 'null'),
    );
    const tag = this.schemas.tagOf(branches);
    return [...variants, ...this.#invalidTags(branches, depth)].flatMap((variant) => {
      // A value with the tag of one variant matches no other.
      if (tag !== undefined && variant.keyword !== 'tag' && variant.location !== tag) {
        return [{ ...variant, isImprecise: true }];
      }
      // A value that violates one variant may match another.
      const only = this.rejected(schema, variant);
      return only ? [{ ...only, isImprecise: true }] : [];
    });
  }

  /** Returns a variant without values that match a schema; undefined if no values are left. */
  rejected(schema: AnySchema, variant: Variant): Variant | undefined {
    const mismatching = ({ value }: LocatedValue) => !this.schemas.accepts(schema, value);
    return somePass(variant.values, mismatching)
      ? { ...variant, values: variant.values.filter(mismatching) }
      : undefined;
  }

  /** Creates values of one variant with the tag of another. */
  #invalidTags(branches: AnySchema[], depth: number): Variant[] {
    const flat = branches.map((branch) => this.schemas.flat(branch));
    return flat.flatMap((branch, index) => {
      const other = flat[(index + 1) % flat.length];
      if (!this.schemas.fits(branch, depth) || !other || other === branch) {
        return [];
      }
      return Object.keys(branch.properties ?? {}).flatMap((name) => {
        const [branchTags, otherTags] = [branch, other].map((variant) => this.schemas.closed(variant, name));
        if (!branchTags || !otherTags || otherTags.some((value) => branchTags.includes(value))) {
          return [];
        }
        const values = fc.tuple(this.arbitraries.object(branch, depth), fc.constantFrom(...otherTags));
        return [
          {
            ...rootVariant('tag', fc.constant(null), name),
            values: values.map(([object, tag]) => ({ value: { ...object, [name]: tag }, path: [] })),
          },
        ];
      });
    });
  }
}

/** Returns the shortest values, if there are many. */
const shortest = (values: fc.Arbitrary<unknown>): unknown =>
  fc
    .sample(values, { numRuns: 30, seed: 1 })
    .sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length)
    .at(0);
