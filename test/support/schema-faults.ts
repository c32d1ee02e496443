import fc from 'fast-check';
import { branchesOf, componentOf, type Schema, type SchemaSet, typesOf } from './json-schema.ts';
import type { SchemaArbitraries } from './schema-arbitraries.ts';
import { bounds } from './schema-numbers.ts';
import { invalidTexts } from './schema-strings.ts';

/** An invalid value, and where its fault is. */
export interface Invalid {
  value: unknown;
  /** Names and indexes, from the whole to the value at fault: to the missing or surplus property, where it is one. */
  path: readonly (string | number)[];
}

/** Values that all break the same limit of a schema. */
export interface InvalidVariant {
  /** The keyword that they break; `null` where null is not valid, `tag` for the tag of another variant. */
  keyword: string;
  /** Where in the schema, for people: names joined by dots, `*` for any item. */
  place: string;
  /**
   * Whether the fault lies within a union, or is one of names: then validators may tell it of a value that is
   * around the one at fault, or of one that another variant would have had.
   */
  vague: boolean;
  values: fc.Arbitrary<Invalid>;
}

/** Longer arrays than this are not made, to spare time. */
const LONGEST_ARRAY = 2000;

/** Values of each type, the ones first that are most easily taken for another type. */
const OF_TYPE: Record<string, unknown[]> = {
  string: ['1', 'true', '', 'null', '2026-01-01T00:00:00Z'],
  number: [1.5],
  integer: [0, 1, -1],
  boolean: [true, false],
  array: [[], ['a'], [[]]],
  object: [{}, { a: 1 }],
};

/** Makes the invalid values of one schema; goes into each component once. */
export class SchemaFaults {
  readonly #make: SchemaArbitraries;
  readonly #schemas: SchemaSet;
  readonly #entered = new Set<string>();

  constructor(make: SchemaArbitraries) {
    this.#make = make;
    this.#schemas = make.schemas;
  }

  variants(given: Schema | boolean, depth: number): InvalidVariant[] {
    const schema = this.#schemas.flat(given);
    const component = typeof given === 'boolean' ? undefined : componentOf(given);
    const branches = branchesOf(schema);
    const own = this.#wrongTypes(schema);
    if (schema.enum || 'const' in schema) return [...own, ...this.#outside(schema)];
    const nests = branches.length > 0 || schema.properties || schema.items || schema.additionalProperties;
    if (component !== undefined && nests) {
      if (this.#entered.has(component)) return own;
      this.#entered.add(component);
    }
    if (!this.#schemas.fits(schema, depth)) return own;
    if (branches.length > 0) return [...own, ...this.#ofUnion(schema, branches, depth)];
    const types = typesOf(schema);
    const inner = [
      ...(types.includes('string') ? this.#ofText(schema) : []),
      ...(types.includes('integer') || types.includes('number') ? this.#ofNumber(schema) : []),
      ...(types.includes('array') ? this.#ofArray(schema, depth) : []),
      ...(types.includes('object') ? [...this.#ofObject(schema, depth), ...this.#ofMap(schema, depth)] : []),
    ];
    return [...own, ...inner];
  }

  /** Values of every type but the schema's, and null. */
  #wrongTypes(schema: Schema): InvalidVariant[] {
    const candidates = Object.values(OF_TYPE).flat();
    const types = new Set(typesIn(this.#schemas, schema));
    if (types.size === 0) return [];
    if (types.has('number')) types.add('integer');
    const others = candidates.filter((value) => !types.has(typeOf(value)));
    const wrong = others.filter((value) => !this.#schemas.accepts(schema, value));
    return [
      ...(wrong.length > 0 ? [here('type', fc.constantFrom(...wrong))] : []),
      ...(types.has('null') ? [] : [here('null', fc.constant(null))]),
    ];
  }

  /** Values of the right type that an enum or constant does not have. */
  #outside(schema: Schema): InvalidVariant[] {
    const members = schema.enum ?? [schema.const];
    const beside = members.flatMap((member): unknown[] => {
      if (typeof member === 'string')
        return [`${member}x`, member.toUpperCase(), ` ${member}`, member.slice(1)];
      if (typeof member === 'number') return [member + 1, member - 1];
      return typeof member === 'boolean' ? [!member] : [];
    });
    const outside = beside.filter((value) => !members.includes(value));
    return outside.length > 0 ? [here('enum', fc.constantFrom(...outside))] : [];
  }

  #ofText(schema: Schema): InvalidVariant[] {
    return invalidTexts(this.#schemas, schema).map(([keyword, values]) => here(keyword, values));
  }

  #ofNumber(schema: Schema): InvalidVariant[] {
    const whole = !typesOf(schema).includes('number');
    const { min, max } = bounds(schema, whole);
    const { exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const variants: InvalidVariant[] = [];
    const add = (keyword: string, value: number) => {
      const beyond = [value, value * 2].filter((number) => !this.#schemas.accepts(schema, number));
      if (beyond.length > 0) variants.push(here(keyword, fc.constantFrom(...beyond)));
    };
    if (min > Number.MIN_SAFE_INTEGER) add('minimum', min === exclusiveMinimum ? min : min - 1);
    if (max < Number.MAX_SAFE_INTEGER) add('maximum', max === exclusiveMaximum ? max : max + 1);
    if (multipleOf !== undefined) add('multipleOf', Math.max(min, 0) + multipleOf / 2);
    return variants;
  }

  #ofArray(schema: Schema, depth: number): InvalidVariant[] {
    const { items = true, minItems = 0, maxItems = LONGEST_ARRAY, uniqueItems } = schema;
    const variants: InvalidVariant[] = [];
    const itemFits = this.#schemas.fits(items, depth - 1);
    const item = itemFits ? this.#make.valid(this.#schemas.flat(items), depth - 1) : fc.constant(null);
    const ofLength = (length: number) => fc.array(item, { minLength: length, maxLength: length });
    if (minItems > 0) variants.push(here('minItems', ofLength(minItems - 1)));
    if (maxItems < LONGEST_ARRAY)
      variants.push(
        here(
          'maxItems',
          item.map((one) =>
            Array(maxItems + 1).fill(JSON.stringify(one).length > 200 ? shortest(item) : one),
          ),
        ),
      );
    if (uniqueItems && maxItems > 1)
      variants.push(
        here(
          'uniqueItems',
          item.map((one) => Array(Math.max(minItems, 2)).fill(one)),
        ),
      );
    if (maxItems < 1) return variants;
    const most = Math.min(maxItems, minItems + 2) - 1;
    const around = itemFits
      ? fc.array(item, { minLength: Math.max(0, minItems - 1), maxLength: Math.max(0, most) })
      : fc.constant([]);
    for (const { values, ...variant } of this.variants(items, depth - 1))
      variants.push({
        ...within('*', variant),
        values: fc.tuple(around, values, fc.nat()).map(([others, { value, path }, place]) => {
          const index = place % (others.length + 1);
          return { value: others.toSpliced(index, 0, value), path: [index, ...path] };
        }),
      });
    return variants;
  }

  #ofObject(schema: Schema, depth: number): InvalidVariant[] {
    const { properties = {}, required = [], minProperties = 0, additionalProperties } = schema;
    const variants: InvalidVariant[] = [];
    for (const name of required)
      variants.push({
        ...here('required', fc.constant(null), name),
        values: this.#make.object(schema, depth, { without: name }).map((value) => ({ value, path: [name] })),
      });
    const sealed = additionalProperties === false || schema.unevaluatedProperties === false;
    if (sealed) {
      const surplus = this.#make.names({ properties }).filter((name) => !name.includes('\0'));
      const values = fc.tuple(this.#make.object(schema, depth), surplus, fc.constantFrom(null, 1, 'a', {}));
      variants.push({
        ...here('additionalProperties', fc.constant(null), '?'),
        values: values.map(([own, name, more]) => ({ value: { ...own, [name]: more }, path: [name] })),
      });
    }
    if (minProperties > required.length && sealed)
      variants.push({
        ...here(
          'minProperties',
          this.#make.object({ ...schema, properties: pick(properties, required), minProperties: 0 }, depth),
        ),
        vague: true,
      });
    for (const [name, property] of Object.entries(properties))
      for (const { values, ...variant } of this.variants(property, depth - 1))
        variants.push({
          ...within(name, variant),
          values: this.#make.object(schema, depth, { broken: [name, values] }).map((object) => {
            // The arbitrary of this property makes nothing else.
            const { value, path } = object[name] as Invalid;
            return { value: { ...object, [name]: value }, path: [name, ...path] };
          }),
        });
    return variants;
  }

  /** The faults of an object's other properties: of their names and of their values. */
  #ofMap(schema: Schema, depth: number): InvalidVariant[] {
    const { additionalProperties: extra, propertyNames } = schema;
    if (extra === false || extra === undefined) return [];
    const own = this.#make.object({ ...schema, additionalProperties: false, minProperties: 0 }, depth);
    const put = (names: fc.Arbitrary<string>, values: fc.Arbitrary<Invalid>) =>
      fc.tuple(own, names, values).map(([object, name, { value, path }]) => ({
        value: { ...object, [name]: value },
        path: [name, ...path],
      }));
    const ofValues = this.variants(extra, depth - 1).map(({ values, ...variant }) => ({
      ...within('*', variant),
      values: put(this.#make.names(schema), values),
    }));
    if (!propertyNames || !this.#schemas.fits(extra, depth - 1)) return ofValues;
    const good = this.#make
      .valid(this.#schemas.flat(extra), depth - 1)
      .map((value): Invalid => ({ value, path: [] }));
    const names = { type: 'string', ...this.#schemas.flat(propertyNames) };
    const ofNames = invalidTexts(this.#schemas, names).map(([keyword, texts]) => ({
      ...here(`propertyNames ${keyword}`, fc.constant(null), '?'),
      vague: true,
      values: put(
        texts.filter((name) => !name.includes('\0')),
        good,
      ),
    }));
    return [...ofValues, ...ofNames];
  }

  #ofUnion(schema: Schema, branches: Schema[], depth: number): InvalidVariant[] {
    const variants = branches
      .flatMap((branch) => this.variants(branch, depth))
      // The union itself has the values that are of the type of no variant.
      .filter(({ keyword, place }) => place !== '' || (keyword !== 'type' && keyword !== 'null'));
    const tag = this.#schemas.tagOf(branches);
    return [...variants, ...this.#wrongTags(branches, depth)].flatMap((variant) => {
      // Whoever has the tag of one variant is none of the others.
      if (tag !== undefined && variant.keyword !== 'tag' && variant.place !== tag)
        return [{ ...variant, vague: true }];
      const rejected = ({ value }: Invalid) => !this.#schemas.accepts(schema, value);
      // What is wrong for one variant may be right for another.
      const some = fc.sample(variant.values, { numRuns: 8, seed: 1 }).some(rejected);
      return some ? [{ ...variant, vague: true, values: variant.values.filter(rejected) }] : [];
    });
  }

  /** Values of one variant that say that they are of another. */
  #wrongTags(branches: Schema[], depth: number): InvalidVariant[] {
    const flat = branches.map((branch) => this.#schemas.flat(branch));
    return flat.flatMap((branch, index) => {
      const other = flat[(index + 1) % flat.length];
      if (!this.#schemas.fits(branch, depth) || !other || other === branch) return [];
      return Object.keys(branch.properties ?? {}).flatMap((name) => {
        const [mine, theirs] = [branch, other].map((one) => this.#schemas.closed(one, name));
        if (!mine || !theirs || theirs.some((value) => mine.includes(value))) return [];
        const values = fc.tuple(this.#make.object(branch, depth), fc.constantFrom(...theirs));
        return [
          {
            ...here('tag', fc.constant(null), name),
            values: values.map(([object, tag]) => ({ value: { ...object, [name]: tag }, path: [] })),
          },
        ];
      });
    });
  }
}

const here = (keyword: string, values: fc.Arbitrary<unknown>, place = ''): InvalidVariant => ({
  keyword,
  place,
  vague: false,
  values: values.map((value) => ({ value, path: [] })),
});

const within = <Variant extends Omit<InvalidVariant, 'values'>>(name: string, variant: Variant): Variant => ({
  ...variant,
  place: variant.place === '' ? name : `${name}.${variant.place}`,
});

const pick = (properties: Record<string, Schema>, names: string[]) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));

/** The shortest of some values, for where there are many of them. */
const shortest = (values: fc.Arbitrary<unknown>): unknown =>
  fc
    .sample(values, { numRuns: 30, seed: 1 })
    .sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length)
    .at(0);

/** The types that a schema lets in; none where it does not say. */
function typesIn(schemas: SchemaSet, schema: Schema): string[] {
  if (schema.enum) return schema.enum.map(typeOf);
  if ('const' in schema) return [typeOf(schema.const)];
  const branches = branchesOf(schema).map((branch) => typesIn(schemas, schemas.flat(branch)));
  if (branches.some((types) => types.length === 0)) return [];
  return branches.length > 0 ? branches.flat() : typesOf(schema);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
