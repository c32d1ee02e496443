import { isObject } from '../../document.ts';
import { SchemaArbitraries } from '../schema/arbitraries.ts';
import { MAX_VALUES } from '../schema/least-size.ts';
import {
  type AnySchema,
  branchesOf,
  componentOf,
  type Schema,
  type SchemaSet,
  typesOf,
} from '../schema/schema.ts';
import { draw } from './draw.ts';
import { sampleNumber, sampleText } from './scalars.ts';

/** Depth below which optional properties are omitted. */
const MAX_OPTIONAL_DEPTH = 4;
/** Maximum number of random values to try until one is valid. */
const MAX_RANDOM_VALUES = 20;
/** Items of an array that may be empty. */
const ARRAY_ITEMS = 1;

/** Context of a value. */
interface ValueContext {
  /** Name of the property. Texts are derived from it. */
  name: string;
  /** Number of the entity that contains the value: different numbers result in different values. */
  number: number;
  depth: number;
  /** Schemas that contain the value, and the names of those that are components. */
  within: readonly unknown[];
  /** Number of values so far. Beyond {@link MAX_VALUES}, optional ones are omitted. */
  size: { values: number };
}

/**
 * Makes valid values of schemas: the examples of the contract, defaults, and otherwise readable values such as `title 1`.
 * The same schema, name and number result in the same value.
 */
export class SampleValues {
  readonly schemas: SchemaSet;
  readonly #arbitraries: SchemaArbitraries;

  constructor(schemas: SchemaSet) {
    this.schemas = schemas;
    this.#arbitraries = new SchemaArbitraries(schemas, { depth: 2 });
  }

  /**
   * Returns a value of a schema.
   *
   * @param name name of the value, such as that of its parameter
   * @param number number of the entity that contains the value
   * @param examples values that are preferred if they are valid
   * @throws {UnusableSchema} if the schema has no valid values or none can be generated
   */
  value(schema: AnySchema, name: string, number: number, examples: readonly unknown[] = []): unknown {
    const valid = examples.filter((example) => this.accepts(schema, example));
    if (valid.length > 0) {
      return structuredClone(valid[(number - 1) % valid.length]);
    }
    this.schemas.assertUsable(schema);
    return this.#value(schema, { name, number, depth: 0, within: [], size: { values: 0 } });
  }

  /**
   * Returns random values of a schema, which need not be readable.
   *
   * @param number number of the entity that contains the value
   */
  *random(schema: AnySchema, number: number): Generator<unknown> {
    const arbitrary = this.#arbitraries.validValue(schema);
    for (let attempt = 0; attempt < MAX_RANDOM_VALUES; attempt++) {
      yield draw(arbitrary, number + attempt)[0]?.value;
    }
  }

  /** Returns whether a value is valid; false if the schema cannot be compiled. */
  accepts(schema: AnySchema, value: unknown): boolean {
    try {
      return this.schemas.accepts(schema, value);
    } catch {
      return false;
    }
  }

  /** Returns whether a value is valid and has only declared properties. */
  isExact(schema: AnySchema, value: unknown): boolean {
    return this.accepts(schema, value) && this.schemas.undeclared(schema, value).length === 0;
  }

  /** Returns a readable value if one is valid, and otherwise a random one. */
  #value(schema: AnySchema, place: ValueContext): unknown {
    const readable = this.#readable(schema, place);
    if (readable !== undefined && this.accepts(schema, readable)) {
      return readable;
    }
    const [drawn] = draw(this.#arbitraries.validValue(schema), place.number);
    return drawn?.value;
  }

  #readable(declared: AnySchema, place: ValueContext): unknown {
    place.size.values += 1;
    if (this.schemas.isTooLarge(declared)) {
      return undefined;
    }
    const component = componentOf(onlyPart(declared)) ?? declared;
    if (typeof component !== 'boolean' && place.within.includes(component)) {
      return this.#recursive(declared);
    }
    const schema = this.schemas.flat(declared);
    const within = [...place.within, component];
    const here = { ...place, within };
    const [example] = statedValues(typeof declared === 'object' ? declared : {}, schema).filter((value) =>
      this.accepts(schema, value),
    );
    if (example !== undefined) {
      return structuredClone(example);
    }
    const branches = branchesOf(schema);
    for (const branch of branches) {
      const value = this.#readable(branch, here);
      if (value !== undefined && this.accepts(schema, value)) {
        return value;
      }
    }
    return branches.length > 0 ? undefined : this.#typed(schema, here);
  }

  /** Ends a recursion with the smallest value. */
  #recursive(schema: AnySchema): unknown {
    return [null, [], {}].find((value) => this.accepts(schema, value));
  }

  #typed(schema: Schema, place: ValueContext): unknown {
    const [type = schema.properties ? 'object' : 'string'] = typesOf(schema);
    switch (type) {
      case 'object':
        return this.#object(schema, place);
      case 'array':
        return this.#array(schema, place);
      case 'integer':
      case 'number':
        return sampleNumber(schema, place.number);
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return sampleText(schema, place.name, place.number);
    }
  }

  #object(schema: Schema, place: ValueContext): unknown {
    const value: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const isRequired = schema.required?.includes(name) === true;
      if (property === false || (!isRequired && isLastOptional(place))) {
        continue;
      }
      const inner = { ...place, name, depth: place.depth + 1 };
      const member = isRequired ? this.#value(property, inner) : this.#readable(property, inner);
      if (member !== undefined && (isRequired || this.accepts(property, member))) {
        value[name] = member;
      }
    }
    return value;
  }

  #array(schema: Schema, place: ValueContext): unknown {
    const { items = true, minItems = 0, maxItems = ARRAY_ITEMS } = schema;
    const length = Math.max(minItems, Math.min(maxItems, isLastOptional(place) ? 0 : ARRAY_ITEMS));
    const values: unknown[] = [];
    for (let index = 0; index < length; index++) {
      const value = this.#readable(items, { ...place, depth: place.depth + 1, number: place.number + index });
      if (value === undefined || !this.accepts(items, value)) {
        return minItems === 0 ? [] : undefined;
      }
      values.push(value);
    }
    return values;
  }
}

/** Returns the schema that another one consists of: `allOf` with one part, as a nullable reference is written. */
function onlyPart(schema: AnySchema): AnySchema {
  const [part, ...others] = (typeof schema === 'object' && schema.$ref === undefined && schema.allOf) || [];
  return part === undefined || others.length > 0 ? schema : onlyPart(part);
}

/** Whether a value contains no optional ones. */
const isLastOptional = ({ depth, size }: ValueContext) =>
  depth >= MAX_OPTIONAL_DEPTH || size.values > MAX_VALUES;

/** Returns the values that a schema itself states, most specific first. */
function statedValues(declared: Schema, flat: Schema): unknown[] {
  return [declared, flat].flatMap((schema) => [
    ...(schema.example === undefined ? [] : [schema.example]),
    ...(Array.isArray(schema.examples) ? schema.examples : []),
    ...('const' in schema ? [schema.const] : []),
    ...(schema.default === undefined || isObject(schema.default) ? [] : [schema.default]),
    ...(schema.enum ?? []),
  ]);
}
