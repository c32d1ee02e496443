import fc from 'fast-check';
import { brief } from '../../../../server/contract/json-values.ts';
import { EdgeValues } from './edges.ts';
import { filterValues } from './filter.ts';
import { InvalidValues } from './invalid.ts';
import { validNumber } from './numbers.ts';
import { ObjectArbitraries, type ObjectOptions, PLAIN_NAMES } from './objects.ts';
import {
  type AnySchema,
  branchesOf,
  type Components,
  componentOf,
  kindsOf,
  type Schema,
  SchemaSet,
  UnusableSchema,
} from './schema.ts';
import { anyText, plainText, validText } from './strings.ts';
import type { LocatedValue, SchemaVariants, ValueSource, Variant } from './variants.ts';

export type { LocatedValue, Schema, Variant };

/** Options for generating values. */
export interface ArbitraryOptions {
  /** Maximum nesting depth, unless the schema requires more; 4 by default. */
  depth?: number;
  /** Returns whether a text may be generated; any by default. */
  text?: (text: string) => boolean;
  /** Arbitraries that replace those of components, by name. */
  components?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Whether objects have only required properties, and texts only letters. */
  sparse?: boolean;
}

/** Maximum nesting depth of values with optional parts: their number grows exponentially with it. */
const MAX_FULL_DEPTH = 5;

/** Keywords that are only validated, not used for generating values. */
const FILTERING_KEYWORDS = [
  'not',
  'allOf',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'patternProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'if',
];

/**
 * Creates fast-check arbitraries of schemas: valid values, values at the limits, and values one step beyond a limit.
 * All values are JSON and shrink. Any schema is supported; keywords such as `not` are slow if they leave few values.
 *
 * @example
 * const make = new SchemaArbitraries(contract.components)
 * fc.assert(fc.property(make.validValue({ $ref: '#/components/schemas/Space' }), isSpace))
 */
export class SchemaArbitraries implements ValueSource {
  readonly schemas: SchemaSet;
  readonly #options: ArbitraryOptions;
  readonly #cache = new WeakMap<Schema, Map<number, fc.Arbitrary<unknown>>>();
  readonly #invalidVariants = new WeakMap<Schema, readonly Variant[]>();
  readonly #edgeVariants = new WeakMap<Schema, readonly Variant[]>();
  readonly #objects = new ObjectArbitraries(this);
  #sparse: SchemaArbitraries | undefined;

  /** @param components schemas by pointer, or a schema set */
  constructor(components: Components | SchemaSet, options: ArbitraryOptions = {}) {
    this.schemas = components instanceof SchemaSet ? components : new SchemaSet(components);
    this.#options = options;
  }

  /** Returns whether values with a nesting depth have only what is required. */
  isSparse(depth: number): boolean {
    return this.#options.sparse === true || depth > MAX_FULL_DEPTH;
  }

  /** Returns arbitraries for minimal values. */
  get sparse(): SchemaArbitraries {
    this.#sparse ??= new SchemaArbitraries(this.schemas, { ...this.#options, sparse: true });
    return this.#sparse;
  }

  /** @throws {UnusableSchema} if the schema has no valid values or none can be generated */
  validValue(schema: AnySchema): fc.Arbitrary<unknown> {
    return this.valid(schema, this.#depth(schema));
  }

  /**
   * Creates arbitraries of invalid values, one for each constraint of a schema and its subschemas: a wrong type, null,
   * too long, not in an enum, a missing or unknown property and so on. Each reference is followed once, so that
   * recursive schemas terminate.
   * @throws {UnusableSchema} like `validValue`
   */
  invalidVariants(schema: AnySchema): readonly Variant[] {
    const values = new InvalidValues(this);
    return this.#tried(this.#invalidVariants, schema, values, (variant) => values.rejected(schema, variant));
  }

  /**
   * Creates arbitraries of valid values at the limits of a schema and its subschemas: shortest and longest, minimum and
   * maximum, each member of an enum, with and without optional properties.
   * @throws {UnusableSchema} like `validValue`
   */
  edgeVariants(schema: AnySchema): readonly Variant[] {
    const values = new EdgeValues(this);
    return this.#tried(this.#edgeVariants, schema, values, (variant) => values.accepted(schema, variant));
  }

  /** Returns the variants that `retain` returns. They are created once per schema, because it validates values of each. */
  #tried(
    cache: WeakMap<Schema, readonly Variant[]>,
    schema: AnySchema,
    values: SchemaVariants,
    retain: (variant: Variant) => Variant | undefined,
  ): readonly Variant[] {
    const key = typeof schema === 'boolean' ? this.schemas.flat(schema) : schema;
    const variants =
      cache.get(key) ??
      values
        .variants(schema, this.#depth(schema))
        .map(retain)
        .filter((variant) => variant !== undefined);
    cache.set(key, variants);
    return variants;
  }

  #depth(schema: AnySchema): number {
    return Math.max(this.schemas.height(schema), this.#options.sparse ? 0 : (this.#options.depth ?? 4));
  }

  /** Creates valid values with a maximum nesting depth, which must be sufficient for the schema. */
  valid(schema: AnySchema, depth: number): fc.Arbitrary<unknown> {
    const custom = this.#options.components?.[componentOf(schema) ?? ''];
    if (custom) {
      return custom;
    }
    const flat = this.schemas.flat(schema);
    const byDepth = this.#cache.get(flat) ?? new Map<number, fc.Arbitrary<unknown>>();
    this.#cache.set(flat, byDepth);
    let arbitrary = byDepth.get(depth);
    if (!arbitrary) {
      arbitrary = this.#make(flat, depth);
      byDepth.set(depth, arbitrary);
    }
    return arbitrary;
  }

  /** Creates objects, see {@link ObjectArbitraries.object}. */
  object(schema: Schema, depth: number, options?: ObjectOptions): fc.Arbitrary<Record<string, unknown>> {
    return this.#objects.object(schema, depth, options);
  }

  /** Creates names of additional properties; undefined if a schema allows none. */
  names(schema: Schema): fc.Arbitrary<string> | undefined {
    return this.#objects.names(schema);
  }

  #make(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const values = this.#unfiltered(schema, depth);
    const isFiltered = FILTERING_KEYWORDS.some((keyword) => schema[keyword] !== undefined);
    return isFiltered ? this.#onlyValid(values, schema) : values;
  }

  #unfiltered(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const members = 'const' in schema ? [schema.const] : schema.enum;
    if (members) {
      return this.#members(schema, members);
    }
    const branches = branchesOf(schema);
    if (branches.length > 0) {
      return this.#union(schema, branches, depth);
    }
    const types = kindsOf(schema);
    if (types.length === 0) {
      return this.#anything(depth);
    }
    const arbitraries = types
      .filter((type) => this.schemas.fitsType(schema, type, depth))
      .map((type) => this.#ofType(type, schema, depth));
    if (arbitraries.length === 0) {
      throw unusable(schema, 'has no valid value');
    }
    return arbitraries.length === 1 && arbitraries[0] ? arbitraries[0] : fc.oneof(...arbitraries);
  }

  #members(schema: Schema, members: unknown[]): fc.Arbitrary<unknown> {
    const valid = members.filter((member) => this.schemas.accepts(schema, member));
    if (valid.length === 0) {
      throw unusable(schema, 'has no valid value');
    }
    return fc.constantFrom(...valid);
  }

  #union(schema: Schema, branches: AnySchema[], depth: number): fc.Arbitrary<unknown> {
    const fitting = branches
      .filter((branch) => this.schemas.fits(branch, depth))
      // fast-check shrinks to the first alternative.
      .sort((a, b) => this.schemas.height(a) - this.schemas.height(b));
    const usable: fc.Arbitrary<unknown>[] = [];
    const unusable: unknown[] = [];
    for (const branch of fitting) {
      try {
        usable.push(this.valid(branch, depth));
      } catch (error) {
        if (!(error instanceof UnusableSchema)) {
          throw error;
        }
        unusable.push(error);
      }
    }
    if (usable.length === 0) {
      throw unusable[0];
    }
    const values = fc.oneof({ withCrossShrink: true }, ...usable);
    if (!schema.oneOf || this.schemas.tagOf(branches) !== undefined) {
      return values;
    }
    // A value of one variant may also match another.
    return this.#onlyValid(values, schema);
  }

  #ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    try {
      switch (type) {
        case 'null':
          return fc.constant(null);
        case 'boolean':
          return fc.boolean();
        case 'integer':
        case 'number':
          return validNumber(schema, type === 'integer');
        case 'string':
          return this.#string(schema);
        case 'array':
          return this.#array(schema, depth);
        case 'object':
          return this.object(schema, depth);
      }
    } catch (error) {
      // fast-check throws for contradictory limits.
      throw error instanceof UnusableSchema
        ? error
        : unusable(schema, `has no valid value (${String(error)})`);
    }
    throw unusable(schema, `is of the type "${type}", which JSON does not have`);
  }

  #string(schema: Schema): fc.Arbitrary<string> {
    const texts = this.#options.sparse ? plainText(schema) : validText(schema);
    return this.allowedTexts(this.#onlyValid(texts, schema, 'string'));
  }

  #array(schema: Schema, depth: number): fc.Arbitrary<unknown[]> {
    const { items = true, prefixItems = [], contains, minContains = 1, uniqueItems } = schema;
    const { minItems = 0, maxItems = Infinity } = schema;
    const first = prefixItems.slice(0, maxItems).map((item) => this.valid(item, depth - 1));
    if (contains !== undefined) {
      for (let count = 0; count < minContains && prefixItems.length === 0; count++) {
        first.push(this.valid({ allOf: [items, contains] }, depth - 1));
      }
    }
    const minLength = Math.max(0, minItems - first.length);
    const possibleLength = this.schemas.fits(items, depth - 1)
      ? Math.min(maxItems - first.length, minLength + 3)
      : 0;
    const maxLength = this.isSparse(depth) ? minLength : Math.max(minLength, possibleLength);
    if (maxLength === 0) {
      return fc.tuple(...first);
    }
    const lengths = { minLength, maxLength };
    const values = this.valid(items, depth - 1);
    const rest = uniqueItems
      ? fc.uniqueArray(values, { ...lengths, selector: (value) => JSON.stringify(value) })
      : fc.array(values, lengths);
    return first.length === 0 ? rest : fc.tuple(fc.tuple(...first), rest).map((both) => both.flat());
  }

  #anything(depth: number): fc.Arbitrary<unknown> {
    if (this.#options.sparse) {
      return fc.constantFrom('a', 1, true);
    }
    const scalars = [fc.constant(null), fc.boolean(), fc.integer(), this.allowedTexts(anyText())];
    if (depth <= 0) {
      return fc.oneof(...scalars);
    }
    const inner = this.valid(true, depth - 1);
    const objects = fc.dictionary(PLAIN_NAMES, inner, { maxKeys: 2, noNullPrototype: true });
    return fc.oneof(...scalars, fc.array(inner, { maxLength: 2 }), objects);
  }

  /** Returns whether a text may be generated. */
  isAllowedText(text: string): boolean {
    return this.#options.text?.(text) ?? true;
  }

  /** Removes texts that must not be generated. */
  allowedTexts(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
    return this.#options.text ? texts.filter((text) => this.isAllowedText(text)) : texts;
  }

  /** Removes invalid values. @throws {UnusableSchema} if no valid value is generated in some hundred tries */
  #onlyValid<Value>(values: fc.Arbitrary<Value>, schema: Schema, type?: string): fc.Arbitrary<Value> {
    const typed = type === undefined ? schema : { ...schema, type };
    return filterValues(
      values,
      (value) => this.schemas.accepts(typed, value),
      () => unusable(schema, 'has no valid value that could be generated').message,
    );
  }
}

const unusable = (schema: Schema, why: string) => new UnusableSchema(`The schema ${brief(schema)} ${why}.`);
