import fc from 'fast-check';
import { branchesOf, type Components, componentOf, type Schema, SchemaSet, typesOf } from './json-schema.ts';
import { type Invalid, type InvalidVariant, SchemaFaults } from './schema-faults.ts';
import { validNumber } from './schema-numbers.ts';
import { anyText, validText } from './schema-strings.ts';

export type { Invalid, InvalidVariant, Schema };

export interface ArbitraryOptions {
  /** How deep values nest, where their schema does not need more. */
  depth?: number;
  /** Which texts may be made at all; by default any. */
  text?: (text: string) => boolean;
  /** Values to make of components, by name, in place of what their schema would give. */
  components?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

/**
 * fast-check arbitraries of the schemas of an OpenAPI 3.1 document: of valid values, and of values that
 * are one step beyond one limit. All of them shrink, and are JSON.
 *
 * @example
 * const make = new SchemaArbitraries(document.components.schemas)
 * fc.assert(fc.property(make.validValue({ $ref: '#/components/schemas/Space' }), isSpace))
 */
export class SchemaArbitraries {
  readonly schemas: SchemaSet;
  readonly #options: ArbitraryOptions;
  readonly #made = new WeakMap<Schema, Map<number, fc.Arbitrary<unknown>>>();

  constructor(components: Components, options: ArbitraryOptions = {}) {
    this.schemas = new SchemaSet(components);
    this.#options = options;
  }

  /** @throws Error for a schema without valid values, or with a keyword that nothing can be made by. */
  validValue(schema: Schema): fc.Arbitrary<unknown> {
    return this.valid(schema, Math.max(this.schemas.height(schema), this.#options.depth ?? 4));
  }

  /**
   * Arbitraries of invalid values, one for each limit of a schema and of the schemas that it is made of: a
   * wrong type, null, too long, outside of an enum, a missing or surplus property and so on. Each
   * component is gone into once, so that recursive schemas have an end.
   */
  invalidVariants(schema: Schema): InvalidVariant[] {
    const depth = Math.max(this.schemas.height(schema), this.#options.depth ?? 4);
    return new SchemaFaults(this).variants(schema, depth);
  }

  /** Valid values that nest no deeper than `depth`, which must be enough for the schema. */
  valid(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const own = this.#options.components?.[componentOf(schema) ?? ''];
    if (own) return own;
    const flat = this.schemas.flat(schema);
    const known = this.#made.get(flat) ?? new Map<number, fc.Arbitrary<unknown>>();
    this.#made.set(flat, known);
    let made = known.get(depth);
    if (!made) {
      made = this.#make(flat, depth);
      known.set(depth, made);
    }
    return made;
  }

  /**
   * Valid objects of an object schema, but for the property `broken`, whose values are the given ones.
   *
   * @param without a required property that is left out
   */
  object(
    schema: Schema,
    depth: number,
    { broken, without }: { broken?: [name: string, values: fc.Arbitrary<unknown>]; without?: string } = {},
  ): fc.Arbitrary<Record<string, unknown>> {
    const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = schema;
    const model = new Map<string, fc.Arbitrary<unknown>>();
    for (const [name, property] of Object.entries(properties))
      if (name !== without && this.schemas.fits(property, depth - 1))
        model.set(name, this.valid(property, depth - 1));
    for (const name of required)
      if (name !== without && !model.has(name)) model.set(name, this.valid({}, depth - 1));
    if (broken) model.set(...broken);
    const needed = [...model.keys()].filter((name) => required.includes(name) || name === broken?.[0]);
    const optional = [...model.keys()].filter((name) => !needed.includes(name));
    const record = (names: string[], more: string[]) =>
      fc.record(
        Object.fromEntries([...names, ...more].map((name) => [name, model.get(name) ?? fc.constant(null)])),
        {
          requiredKeys: names,
          noNullPrototype: true,
        },
      );
    const missing = Math.min(Math.max(0, minProperties - needed.length), optional.length);
    const most = Math.min(maxProperties - needed.length, optional.length);
    const named: fc.Arbitrary<Record<string, unknown>> =
      missing === 0 && most === optional.length
        ? record(needed, optional)
        : fc
            .subarray(optional, { minLength: missing, maxLength: most })
            .chain((chosen) => record([...needed, ...chosen], []));
    const extra = this.#extra(schema, depth, needed.length, missing + needed.length < minProperties);
    // What the schema names stands last: no other name may take its place.
    return extra ? fc.tuple(extra, named).map(([more, own]) => ({ ...more, ...own })) : named;
  }

  /** Names that a schema allows beside those of its properties; undefined where it allows none. */
  names({ properties = {}, propertyNames }: Schema): fc.Arbitrary<string> {
    const names = propertyNames
      ? this.valid({ type: 'string', ...this.schemas.flat(propertyNames) }, 0).map(String)
      : fc.oneof(fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,12}$/), this.#text(anyText(1, 12)));
    // Many readers of JSON take this name for something else.
    return names.filter((name) => !(name in properties) && name !== '__proto__');
  }

  #extra(schema: Schema, depth: number, taken: number, needed: boolean) {
    const { additionalProperties: extra, minProperties = 0, maxProperties = Infinity } = schema;
    // A schema that is silent lets anything in; what stands in its properties is enough to say.
    const open = extra === undefined ? needed : extra !== false && this.schemas.fits(extra, depth - 1);
    if (!open) return undefined;
    return fc.dictionary(this.names(schema), this.valid(this.schemas.flat(extra ?? true), depth - 1), {
      minKeys: Math.max(0, needed ? minProperties - taken : 0),
      maxKeys: Math.max(0, Math.min(maxProperties - taken, Math.max(3, minProperties))),
      noNullPrototype: true,
    });
  }

  #make(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const branches = branchesOf(schema);
    if (branches.length > 0) return this.#union(schema, branches, depth);
    const types = typesOf(schema);
    if (types.length === 0) return schema.properties ? this.object(schema, depth) : this.#anything(depth);
    const some = types
      .filter((type) => this.schemas.fits({ ...schema, type }, depth))
      .map((type) => this.#ofType(type, schema, depth));
    return some.length === 1 && some[0] ? some[0] : fc.oneof(...some);
  }

  #union(schema: Schema, branches: Schema[], depth: number): fc.Arbitrary<unknown> {
    const fitting = branches
      .filter((branch) => this.schemas.fits(branch, depth))
      // fast-check shrinks to what stands first.
      .sort((a, b) => this.schemas.height(a) - this.schemas.height(b));
    const values = fc.oneof({ withCrossShrink: true }, ...fitting.map((branch) => this.valid(branch, depth)));
    if (!schema.oneOf || this.schemas.tagOf(branches) !== undefined) return values;
    // A value of one variant may be one of another, too.
    return values.filter((value) => this.schemas.accepts(schema, value));
  }

  #ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
      case 'number':
        return validNumber(schema, type === 'integer');
      case 'string':
        return this.#text(validText(this.schemas, schema));
      case 'array':
        return this.#array(schema, depth);
      case 'object':
        return this.object(schema, depth);
      default:
        throw new Error(`No values can be made of the type "${type}".`);
    }
  }

  #array({ items = true, minItems = 0, maxItems = Infinity, uniqueItems }: Schema, depth: number) {
    if (!this.schemas.fits(items, depth - 1)) return fc.constant([]);
    const lengths = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) };
    const values = this.valid(this.schemas.flat(items), depth - 1);
    return uniqueItems
      ? fc.uniqueArray(values, { ...lengths, selector: (value) => JSON.stringify(value) })
      : fc.array(values, lengths);
  }

  #anything(depth: number): fc.Arbitrary<unknown> {
    const scalars = [fc.constant(null), fc.boolean(), fc.integer(), this.#text(anyText())];
    if (depth <= 0) return fc.oneof(...scalars);
    const inner = this.valid(this.schemas.flat(true), depth - 1);
    const objects = fc.dictionary(this.names({}), inner, { maxKeys: 2, noNullPrototype: true });
    return fc.oneof(...scalars, fc.array(inner, { maxLength: 2 }), objects);
  }

  #text(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
    const { text } = this.#options;
    return text ? texts.filter(text) : texts;
  }
}
