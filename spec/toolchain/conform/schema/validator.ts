import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type AnySchema, type Components, mapChildren, type Schema, UnusableSchema } from './keywords.ts';
import { expression } from './merge.ts';

/**
 * What must be true of every value of a schema and is told without going into it; undefined where that is
 * nothing, or where it is not worth asking first.
 */
export type Guard = (branch: AnySchema) => Schema | undefined;

const idOf = (pointer: string) => `component:${encodeURIComponent(pointer)}`;

/**
 * Judges values by ajv. Before it goes into a variant of a union, the variant's guard is asked: else the time would
 * grow with the power of the depth where unions are recursive.
 */
export class Validator {
  readonly #guard: Guard;
  readonly #ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    verbose: true,
    code: { regExp: Object.assign((pattern: string) => expression(pattern), { code: 'new RegExp' }) },
  });
  readonly #compiled = new WeakMap<Schema, ValidateFunction>();

  constructor(components: Components, guard: Guard) {
    this.#guard = guard;
    addFormats.default(this.#ajv, { mode: 'full' });
    for (const [pointer, schema] of Object.entries(components))
      this.#ajv.addSchema({ ...this.#prepared(schema), $id: idOf(pointer) });
  }

  /** @throws {UnusableSchema} where the schema cannot be compiled */
  errors(schema: AnySchema, value: unknown): readonly ErrorObject[] {
    if (schema === true) return [];
    const given = schema === false ? { not: {} } : schema;
    let validate = this.#compiled.get(given);
    if (!validate) {
      try {
        validate = this.#ajv.compile(this.#prepared(given));
      } catch (error) {
        throw new UnusableSchema(
          `The schema ${brief(given)} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
        );
      }
      this.#compiled.set(given, validate);
    }
    return validate(value) === true ? [] : (validate.errors ?? []);
  }

  /** A copy with guarded unions, whose references name components wherever it is put. */
  #prepared(schema: Schema): Schema {
    const copy = (child: AnySchema): AnySchema =>
      typeof child === 'boolean' ? child : this.#prepared(child);
    const guarded = (branch: AnySchema): AnySchema => {
      const guard = this.#guard(branch);
      // ajv goes into the parts of allOf in turn, and no further than the first that refuses.
      return guard ? { allOf: [guard, copy(branch)] } : copy(branch);
    };
    const { oneOf, anyOf, ...rest } = schema;
    const result = mapChildren(rest, copy);
    if (oneOf) result.oneOf = oneOf.map(guarded);
    if (anyOf) result.anyOf = anyOf.map(guarded);
    if (result.$ref !== undefined) result.$ref = idOf(result.$ref);
    delete result.$id;
    delete result.$anchor;
    delete result.$schema;
    return result;
  }
}

/** A schema for people, short. */
export function brief(schema: AnySchema): string {
  const text = JSON.stringify(schema);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
