import type { Ajv, AnySchema } from 'ajv';
import { type OpenApiDocument, resolve } from '../document.ts';
import { isObject, parseReference } from '../json-values.ts';
import { CLOSEST_ANY_OF, CLOSEST_ONE_OF, CLOSEST_SHAPES } from './closest.ts';
import { PRINTED_EXACTLY } from './decimals.ts';
import type { Restrict } from './directions.ts';
import { addEvaluatedParts, evaluatedParts, restrictsUnevaluated } from './evaluated.ts';
import { COUNTED_SCHEMA } from './evaluations.ts';
import { copyPart, mapValues, SCHEMA_GRAMMAR } from './grammar.ts';
import { type Hierarchies, type Hierarchy, hierarchiesOf, schemaNameOf, schemaRef } from './hierarchies.ts';
import { COMPILED_ON_USE } from './keywords.ts';
import { normalized } from './normalized.ts';
import type { Seal } from './seal.ts';
import { shapeOf } from './shapes.ts';
import { branchesOf, variantsOf } from './variants.ts';

/** Keywords with schemas that apply to the same value. */
const IN_PLACE_KEYWORDS = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
]);

/** Differences between the schemas of a document and their copies. */
export interface SchemaChanges {
  /** Seals the schemas of responses. */
  seal?: Seal | undefined;
  /** Restricts the properties of one direction. */
  restrict?: Restrict | undefined;
  /** Returns whether a schema permits its default. All other defaults are omitted. */
  acceptsDefault?: ((schema: Record<string, unknown>) => boolean) | undefined;
}

/** What a reference refers to: the schema itself, the schemas that inherit from it, or what they inherit from it. */
type Target = 'schema' | 'hierarchy' | 'base';

/**
 * Copies schemas of a document for a validator, and the schemas they reference. The copies are equivalent but faster to
 * validate: a union with a discriminating property becomes one condition per variant. Otherwise every variant is tried
 * for every value, which takes exponential time on nested unions: a few kilobytes would take minutes. Errors are then
 * reported for the selected variant only; in requests, errors of other unions are reported for the alternative that the
 * value resembles most. A reference to a schema with a discriminator and inheriting schemas also becomes conditions:
 * the validators do not support this form.
 */
export class SchemaCopy {
  readonly #document: OpenApiDocument;
  readonly #changes: SchemaChanges;
  readonly #referenced = new Map<string, unknown>();
  readonly #hierarchies: Hierarchies;
  /** Schemas with evaluated properties and items that Ajv must know. */
  readonly #evaluated: Set<unknown>;

  /** @param changes keywords that the copies have in addition */
  constructor(document: OpenApiDocument, changes: SchemaChanges = {}) {
    this.#document = document;
    this.#changes = changes;
    this.#evaluated = new Set(evaluatedParts(document));
    this.#hierarchies = hierarchiesOf(document);
  }

  /** Copies the parts of an operation that contain schemas. */
  copyOperation<Parts extends object>(parts: Parts): Parts {
    // Only schemas differ.
    return copyPart(parts, 'operation', (schema) => this.copy(schema)) as Parts;
  }

  /**
   * Copies a schema.
   *
   * @param owner name of the schema that it is a part of, for the same value
   */
  copy(schema: unknown, owner?: string): unknown {
    if (!isObject(schema)) {
      return schema;
    }
    if (restrictsUnevaluated(schema)) {
      addEvaluatedParts(this.#document, schema, this.#evaluated);
    }
    const result: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(normalized(schema))) {
      const contents = SCHEMA_GRAMMAR.get(keyword);
      const copyInner = (inner: unknown) =>
        this.copy(inner, IN_PLACE_KEYWORDS.has(keyword) ? owner : undefined);
      if (keyword === '$ref') {
        result.$ref = this.#reach(String(value), owner);
      } else if (keyword === 'default') {
        if (this.#changes.acceptsDefault?.(schema) !== false) {
          result.default = value;
        }
      } else if (contents === undefined || typeof value === 'boolean') {
        result[keyword] = value;
      } else if (typeof contents === 'string') {
        result[keyword] = copyInner(value);
      } else if (Array.isArray(value)) {
        result[keyword] = value.map(copyInner);
      } else {
        result[keyword] = isObject(value) ? mapValues(value, copyInner) : value;
      }
    }
    const { seal, restrict } = this.#changes;
    if (seal && [result.type].flat().includes('integer')) {
      result[PRINTED_EXACTLY] = true;
    }
    const copied = { ...this.#withConditions(schema, result), ...seal?.(schema) };
    return { ...copied, ...restrict?.(schema, copied) };
  }

  /**
   * Adds copies of all schemas referenced so far to a validator, which compiles each of them at most once. Those that
   * could not be copied are left out: only the validators that need them fail.
   */
  addReferenced(ajv: Ajv): void {
    for (const [id, schema] of this.#referenced) {
      if (schema !== undefined && !(id in ajv.schemas)) {
        // A copy of a schema of the contract.
        ajv.addSchema(schema as AnySchema, id);
      }
    }
  }

  /**
   * Copies the target of a reference.
   *
   * @param owner name of the schema that contains the reference, for the same value
   * @returns the reference to the copy
   */
  #reach(ref: string, owner: string | undefined): string {
    const name = schemaNameOf(ref);
    if (name === undefined) {
      return this.#add(ref, 'schema');
    }
    if (owner !== undefined && this.#hierarchies.inherits(owner, name)) {
      return this.#add(ref, this.#hierarchies.isVariant(owner, name) ? 'base' : 'schema');
    }
    return this.#add(ref, this.#hierarchies.of(name) ? 'hierarchy' : 'schema');
  }

  #add(ref: string, target: Target): string {
    const schema = resolve(this.#document, ref);
    const name = schemaNameOf(ref);
    const id = idOf(ref, target);
    if (this.#referenced.has(id)) {
      return id;
    }
    this.#referenced.set(id, undefined);
    const hierarchy = target === 'hierarchy' && name !== undefined ? this.#hierarchies.of(name) : undefined;
    let copied: unknown;
    if (hierarchy) {
      copied = this.#hierarchy(ref, hierarchy);
    } else if (target === 'base' && isObject(schema)) {
      // The union lists the schemas that inherit from this one.
      const { oneOf: _oneOf, anyOf: _anyOf, ...base } = schema;
      copied = this.copy(base, name);
    } else {
      copied = this.copy(schema, name);
    }
    this.#referenced.set(id, counted(copied, parseReference(ref).at(-1) ?? ''));
    return id;
  }

  /** Returns conditions that select the schema which the discriminator of a value names. */
  #hierarchy(ref: string, { property, members }: Hierarchy): Record<string, unknown> {
    const isEvaluated = this.#evaluated.has(resolve(this.#document, ref));
    const selected = (name: string) => {
      const target = schemaRef(name);
      // A schema with a discriminator of its own selects with another property.
      const inner = this.#hierarchies.of(name);
      const $ref = this.#add(target, inner && inner.property !== property ? 'hierarchy' : 'schema');
      return isEvaluated ? { $ref } : { [COMPILED_ON_USE]: $ref };
    };
    const conditions = members.map(({ value, targets }) => {
      const schemas = targets.map(selected);
      return {
        if: { properties: { [property]: { const: value } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
      };
    });
    return {
      if: { type: 'object', required: [property] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: {
        properties: { [property]: { enum: members.map(({ value }) => value) } },
        allOf: conditions,
      },
      else: { $ref: this.#add(ref, 'schema') },
    };
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
    if (this.#changes.seal !== undefined || branches.length < 2 || (union.oneOf && union.anyOf)) {
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
    if (this.#changes.seal !== undefined) {
      return { anyOf };
    }
    const scalars = branchesOf(union).filter((_branch, index) => !values[index]);
    const shapes = [...scalars, { type: 'object' }].map((schema) => shapeOf(this.#document, schema));
    return { [CLOSEST_ANY_OF]: anyOf, [CLOSEST_SHAPES]: shapes };
  }
}

/**
 * Returns the identifier of a copied schema: the reference to it, without characters that the resolution of URIs would
 * change.
 */
function idOf(ref: string, target: Target): string {
  const steps = parseReference(ref).map((step) =>
    step.replaceAll(/[^\w.-]/g, (character) => `~${character.codePointAt(0)}~`),
  );
  return `#/${steps.join('/')}${target === 'schema' ? '' : `/-${target}`}`;
}

/** Counts the evaluations of a referenced schema. Those of all others are limited by their number. */
function counted(schema: unknown, name: string): unknown {
  if (!isObject(schema) || Object.keys(schema).every((keyword) => keyword === '$ref')) {
    return schema;
  }
  return { [COUNTED_SCHEMA]: name, ...schema };
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
