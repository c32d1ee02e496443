import fc from 'fast-check';
import { expression } from './expressions.ts';
import { filterValuesIfAny } from './filter.ts';
import type { AnySchema, Schema, SchemaSet } from './schema.ts';
import { anyText } from './strings.ts';

/** Names of properties that any program supports. */
export const PLAIN_NAMES = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,12}$/);

/** Source of the values of properties. */
export interface PropertySource {
  readonly schemas: SchemaSet;
  /** Returns whether objects with a nesting depth have only required properties. */
  isSparse(depth: number): boolean;
  valid(schema: AnySchema, depth: number): fc.Arbitrary<unknown>;
  /** Removes texts that must not be generated. */
  allowedTexts(texts: fc.Arbitrary<string>): fc.Arbitrary<string>;
}

/** Deviations of objects from valid ones. */
export interface ObjectOptions {
  /** A property with values of its own, which may be invalid. */
  broken?: [name: string, values: fc.Arbitrary<unknown>];
  /** A property to omit. */
  without?: string;
  /** Whether objects have all declared properties. */
  full?: boolean;
}

/** Creates arbitraries of objects and of the names of their properties. */
export class ObjectArbitraries {
  readonly #source: PropertySource;

  constructor(source: PropertySource) {
    this.#source = source;
  }

  /** Creates valid objects, except for the deviations of `options`. */
  object(
    schema: Schema,
    depth: number,
    { broken, without, full = false }: ObjectOptions = {},
  ): fc.Arbitrary<Record<string, unknown>> {
    const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = schema;
    const model = new Map<string, fc.Arbitrary<unknown>>();
    const isIncluded = (name: string) =>
      name !== without &&
      name !== broken?.[0] &&
      (this.#hasOptionalProperties(minProperties, depth) || required.includes(name));
    for (const [name, property] of Object.entries(properties)) {
      if (isIncluded(name) && this.#source.schemas.fits(property, depth - 1)) {
        model.set(name, this.#source.valid(property, depth - 1));
      }
    }
    for (const name of required) {
      if (name !== without && name !== broken?.[0] && !model.has(name)) {
        model.set(name, this.#source.valid(schema.additionalProperties ?? true, depth - 1));
      }
    }
    if (broken) {
      model.set(...broken);
    }
    const needed = [...model.keys()].filter(
      (name) => full || required.includes(name) || name === broken?.[0],
    );
    const optional = [...model.keys()].filter((name) => !needed.includes(name));
    const record = (names: string[], optionalNames: string[]) =>
      fc.record(
        Object.fromEntries(
          [...names, ...optionalNames].map((name) => [name, model.get(name) ?? fc.constant(null)]),
        ),
        {
          requiredKeys: names,
          noNullPrototype: true,
        },
      );
    const missing = Math.min(Math.max(0, minProperties - needed.length), optional.length);
    const maxOptional = Math.max(missing, Math.min(maxProperties - needed.length, optional.length));
    const named: fc.Arbitrary<Record<string, unknown>> =
      missing === 0 && maxOptional === optional.length
        ? record(needed, optional)
        : fc
            .subarray(optional, { minLength: missing, maxLength: maxOptional })
            .chain((optionalNames) => record([...needed, ...optionalNames], []));
    const extra = this.#extra(schema, depth, needed.length, missing + needed.length < minProperties);
    // Declared properties come last, so that additional ones do not replace them.
    return extra
      ? fc.tuple(extra, named).map(([additional, declared]) => ({ ...additional, ...declared }))
      : named;
  }

  /** Creates names of additional properties; undefined if a schema allows none. */
  names({ properties = {}, patternProperties = {}, propertyNames = true }: Schema) {
    const free = propertyNames === true || Object.keys(this.#source.schemas.flat(propertyNames)).length === 0;
    const names = free
      ? fc.oneof(PLAIN_NAMES, this.#source.allowedTexts(anyText(1, 12)))
      : this.#source.valid({ type: 'string', ...this.#source.schemas.flat(propertyNames) }, 0).map(String);
    const patterns = Object.keys(patternProperties).map(expression);
    // Many JSON parsers treat this name specially.
    return filterValuesIfAny(
      names,
      (name) =>
        !Object.hasOwn(properties, name) &&
        name !== '__proto__' &&
        !patterns.some((pattern) => pattern.test(name)),
    );
  }

  #extra(schema: Schema, depth: number, declaredCount: number, needed: boolean) {
    const {
      additionalProperties,
      patternProperties = {},
      minProperties = 0,
      maxProperties = Infinity,
    } = schema;
    const counts = {
      minKeys: Math.max(0, needed ? minProperties - declaredCount : 0),
      maxKeys: Math.max(0, Math.min(maxProperties - declaredCount, Math.max(3, minProperties))),
      noNullPrototype: true,
    } as const;
    if (this.#source.isSparse(depth) && !needed) {
      return undefined;
    }
    const [pattern] = Object.entries(patternProperties).filter(([, propertySchema]) =>
      this.#source.schemas.fits(propertySchema, depth - 1),
    );
    if (pattern) {
      return fc.dictionary(
        this.#source.valid({ type: 'string', pattern: pattern[0], maxLength: 40 }, 0).map(String),
        this.#source.valid(pattern[1], depth - 1),
        counts,
      );
    }
    // A schema without constraints accepts anything; its properties are sufficient.
    const open =
      additionalProperties === undefined
        ? needed
        : additionalProperties !== false && this.#source.schemas.fits(additionalProperties, depth - 1);
    if (!open) {
      return undefined;
    }
    const names = this.names(schema);
    return names && fc.dictionary(names, this.#source.valid(additionalProperties ?? true, depth - 1), counts);
  }

  /** Returns whether objects have optional properties. */
  #hasOptionalProperties(minProperties: number, depth: number): boolean {
    return !this.#source.isSparse(depth) || minProperties > 0;
  }
}
