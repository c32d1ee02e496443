import type { Ajv, AnySchema } from 'ajv';
import { CLOSEST_ANY_OF, CLOSEST_ONE_OF, CLOSEST_SHAPES } from './closest.ts';
import type { Restrict } from './directions.ts';
import { isObject, type OpenApiDocument, resolve } from './document.ts';
import { addEvaluatedParts, evaluatedParts, restrictsUnevaluated } from './evaluated.ts';
import { COUNTED_SCHEMA } from './evaluations.ts';
import { COMPILED_ON_USE } from './keywords.ts';
import type { Seal } from './seal.ts';
import { shapeOf } from './shapes.ts';
import { branchesOf, variantsOf } from './variants.ts';

/** Keywords omitted from the copies: annotations, and `discriminator`, on which Ajv rejects a null body. */
const OMITTED_KEYWORDS = new Set(['discriminator', 'example', 'examples', 'description', 'summary', 'title']);

/** Keywords whose value is data. */
const DATA_KEYWORDS = new Set(['default', 'const', 'enum']);
/** Keywords whose value maps names to schemas. */
const MAP_KEYWORDS = new Set(['properties', 'patternProperties', '$defs', 'content', 'responses']);

/** Differences between the schemas of a document and their copies. */
export interface SchemaChanges {
  /** Seals the schemas of responses. */
  seal?: Seal | undefined;
  /** Restricts the properties of one direction. */
  restrict?: Restrict | undefined;
}

/**
 * Copies schemas of a document for a validator, and the schemas they reference. The copies are equivalent but faster to
 * validate: a union with a discriminating property becomes one condition per variant. Otherwise every variant is tried
 * for every value, which takes exponential time on nested unions: a few kilobytes would take minutes. Errors are then
 * reported for the selected variant only; in requests, those of other unions are reported for the alternative that the
 * value resembles most.
 */
export class SchemaCopy {
  readonly #document: OpenApiDocument;
  readonly #seal: Seal | undefined;
  readonly #restrict: Restrict | undefined;
  readonly #referenced = new Map<string, unknown>();
  /** Schemas of which Ajv must know the properties and items that they evaluate. */
  readonly #evaluated: Set<unknown>;

  /** @param changes keywords that the copies have in addition */
  constructor(document: OpenApiDocument, { seal, restrict }: SchemaChanges = {}) {
    this.#document = document;
    this.#seal = seal;
    this.#restrict = restrict;
    this.#evaluated = new Set(evaluatedParts(document));
  }

  /** Copies a schema, or any object that contains schemas. */
  copy(value: unknown): unknown {
    if (Array.isArray(value)) {
      return value.map((item) => this.copy(item));
    }
    if (!isObject(value)) {
      return value;
    }
    if (restrictsUnevaluated(value)) {
      addEvaluatedParts(this.#document, value, this.#evaluated);
    }
    const result: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      if (OMITTED_KEYWORDS.has(key)) {
        continue;
      }
      if (key === '$ref' && typeof inner === 'string') {
        this.#reach(inner);
      }
      if (DATA_KEYWORDS.has(key)) {
        result[key] = inner;
      } else if (MAP_KEYWORDS.has(key) && isObject(inner)) {
        result[key] = this.#copyMap(inner);
      } else {
        result[key] = this.copy(inner);
      }
    }
    const copied = { ...this.#withConditions(value, result), ...this.#seal?.(value) };
    return { ...copied, ...this.#restrict?.(value, copied) };
  }

  /**
   * Adds copies of all schemas referenced so far to a validator, which compiles each of them at most once. Those that
   * could not be copied are left out: only the validators that need them fail.
   */
  addReferenced(ajv: Ajv): void {
    for (const [ref, schema] of this.#referenced) {
      if (schema !== undefined && !(ref in ajv.schemas)) {
        // A copy of a schema of the contract.
        ajv.addSchema(schema as AnySchema, ref);
      }
    }
  }

  #copyMap(map: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, this.copy(value)]));
  }

  #reach(ref: string): void {
    if (this.#referenced.has(ref)) {
      return;
    }
    this.#referenced.set(ref, undefined);
    const copied = this.copy(resolve(this.#document, ref));
    this.#referenced.set(ref, counted(copied, ref));
  }

  #withConditions(union: Record<string, unknown>, copied: Record<string, unknown>): Record<string, unknown> {
    const variants = variantsOf(this.#document, union);
    if (!variants) {
      return this.#withClosest(union, copied);
    }
    const { tag, values } = variants;
    const { oneOf: _oneOf, anyOf: _anyOf, allOf, ...rest } = copied;
    const branches = branchesOf(copied);
    const isEvaluated = this.#evaluated.has(union);
    const conditions = branches.flatMap((branch, index) =>
      values[index]
        ? [
            {
              if: { required: [tag], properties: { [tag]: { enum: values[index] } } },
              // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
              then: isEvaluated ? branch : compiledOnUse(branch),
            },
          ]
        : [],
    );
    const tags = values.flatMap((variantTags) => variantTags ?? []);
    const tagged = { type: 'object', required: [tag], properties: { [tag]: { enum: tags } } };
    const others = branches.filter((_branch, index) => !values[index]);
    const object = { allOf: [tagged, ...conditions] };
    const alternatives = others.length > 0 ? [this.#anyOf(union, others, object, values)] : object.allOf;
    return { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), ...alternatives] };
  }

  /** Reports the errors of one alternative of a union. Of responses, only the first error is used. */
  #withClosest(union: Record<string, unknown>, copied: Record<string, unknown>): Record<string, unknown> {
    const branches = branchesOf(union);
    if (this.#seal !== undefined || branches.length < 2 || (union.oneOf && union.anyOf)) {
      return copied;
    }
    const { oneOf, anyOf, ...rest } = copied;
    return {
      ...rest,
      [oneOf ? CLOSEST_ONE_OF : CLOSEST_ANY_OF]: oneOf ?? anyOf,
      [CLOSEST_SHAPES]: branches.map((branch) => shapeOf(this.#document, branch)),
    };
  }

  #anyOf(
    union: Record<string, unknown>,
    others: readonly unknown[],
    object: object,
    values: readonly unknown[],
  ): Record<string, unknown> {
    const anyOf = [...others, object];
    if (this.#seal !== undefined) {
      return { anyOf };
    }
    const scalars = branchesOf(union).filter((_branch, index) => !values[index]);
    const shapes = [...scalars, { type: 'object' }].map((schema) => shapeOf(this.#document, schema));
    return { [CLOSEST_ANY_OF]: anyOf, [CLOSEST_SHAPES]: shapes };
  }
}

/** Counts the evaluations of a referenced schema. Those of all others are limited by their number. */
function counted(schema: unknown, ref: string): unknown {
  if (!isObject(schema) || Object.keys(schema).every((keyword) => keyword === '$ref')) {
    return schema;
  }
  return { [COUNTED_SCHEMA]: ref.slice(ref.lastIndexOf('/') + 1), ...schema };
}

/**
 * Returns a schema that is compiled on first use, because most requests use only a few variants. It accepts the same
 * values, but Ajv does not know the properties and items that it evaluates.
 */
function compiledOnUse(variant: unknown): unknown {
  if (!isObject(variant) || typeof variant.$ref !== 'string') {
    return variant;
  }
  const { $ref, ...siblings } = variant;
  return { ...siblings, [COMPILED_ON_USE]: $ref };
}
