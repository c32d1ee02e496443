import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { messageOf } from '../../../../server/contract/errors.ts';
import { brief } from '../../../../server/contract/json-values.ts';
import { MULTIPLE_OF } from '../../../../server/contract/validation/decimals.ts';
import {
  COUNTED_SCHEMA,
  COUNTED_SCHEMA_KEYWORD,
  limitEvaluations,
  TooManyEvaluations,
} from '../../../../server/contract/validation/evaluations.ts';
import { OWN_FORMATS } from '../../../../server/contract/validation/formats.ts';
import { expression } from './expressions.ts';
import { type AnySchema, type Components, mapChildren, type Schema, UnusableSchema } from './keywords.ts';

/**
 * Returns a cheap necessary condition for values of a schema; undefined if there is none or it is not worth checking.
 */
export type Guard = (branch: AnySchema) => Schema | undefined;

/** Size of values that determines how often schemas are evaluated. */
const ASSUMED_BYTES = 20_000;

const idOf = (pointer: string) => `component:${encodeURIComponent(pointer)}`;

/**
 * Validates values with Ajv. The guard of a variant is checked before the variant: otherwise recursive unions would
 * take exponential time.
 */
export class Validator {
  readonly #guard: Guard;
  readonly #ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    verbose: true,
    // A property such as `constructor` would be that of the prototype.
    ownProperties: true,
    code: {
      regExp: Object.assign((pattern: string) => expression(pattern), { code: 'new RegExp' }),
      // Most validators check few values: optimizing their code takes longer than it saves.
      optimize: false,
    },
  });
  readonly #compiled = new WeakMap<Schema, ValidateFunction>();

  constructor(components: Components, guard: Guard) {
    this.#guard = guard;
    addFormats.default(this.#ajv, { mode: 'full' });
    for (const [name, format] of Object.entries(OWN_FORMATS)) {
      this.#ajv.addFormat(name, format);
    }
    this.#ajv.removeKeyword('multipleOf').addKeyword(MULTIPLE_OF).addKeyword(COUNTED_SCHEMA_KEYWORD);
    for (const [pointer, schema] of Object.entries(components)) {
      const name = pointer.slice(pointer.lastIndexOf('/') + 1);
      this.#ajv.addSchema({ [COUNTED_SCHEMA]: name, ...this.#prepared(schema), $id: idOf(pointer) });
    }
  }

  /**
   * Returns the errors of a value. Values that require too many evaluations of schemas are invalid.
   * @throws {UnusableSchema} if the schema cannot be compiled
   */
  errors(schema: AnySchema, value: unknown): readonly ErrorObject[] {
    if (schema === true) {
      return [];
    }
    const source = schema === false ? { not: {} } : schema;
    let validate = this.#compiled.get(source);
    if (!validate) {
      try {
        validate = this.#ajv.compile(this.#prepared(source));
      } catch (error) {
        throw new UnusableSchema(`The schema ${brief(source)} cannot be compiled: ${messageOf(error)}.`);
      }
      this.#compiled.set(source, validate);
    }
    const compiled = validate;
    try {
      const isValid = limitEvaluations(() => compiled(value), ASSUMED_BYTES);
      return isValid === true ? [] : (compiled.errors ?? []);
    } catch (error) {
      if (error instanceof TooManyEvaluations) {
        return [
          { keyword: COUNTED_SCHEMA, instancePath: '', schemaPath: '', params: {}, message: error.message },
        ];
      }
      throw error;
    }
  }

  /** Returns a copy with guarded unions and absolute references. */
  #prepared(schema: Schema): Schema {
    const copy = (child: AnySchema): AnySchema =>
      typeof child === 'boolean' ? child : this.#prepared(child);
    const guarded = (branch: AnySchema): AnySchema => {
      const guard = this.#guard(branch);
      // Ajv validates the schemas of `allOf` in order and stops at the first failure.
      return guard ? { allOf: [guard, copy(branch)] } : copy(branch);
    };
    const { oneOf, anyOf, ...rest } = schema;
    const result = mapChildren(rest, copy);
    if (oneOf) {
      result.oneOf = oneOf.map(guarded);
    }
    if (anyOf) {
      result.anyOf = anyOf.map(guarded);
    }
    if (result.$ref !== undefined) {
      result.$ref = idOf(result.$ref);
    }
    delete result.$id;
    delete result.$anchor;
    delete result.$schema;
    // Ajv would read an $id in examples, which are data.
    delete result.example;
    delete result.examples;
    delete result.default;
    return result;
  }
}
