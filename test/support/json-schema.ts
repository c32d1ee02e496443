import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A JSON Schema as OpenAPI 3.1 documents hold it (JSON Schema 2020-12, the part that is known here). */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  items?: Schema | boolean;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  unevaluatedProperties?: Schema | boolean;
  propertyNames?: Schema;
  minProperties?: number;
  maxProperties?: number;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  [annotation: string]: unknown;
}

/** The schemas of a document, by name. */
export type Components = Readonly<Record<string, Schema>>;

const PREFIX = '#/components/schemas/';

/** The name of the component that a schema refers to. */
export function componentOf(schema: Schema): string | undefined {
  return schema.$ref?.startsWith(PREFIX) ? schema.$ref.slice(PREFIX.length) : undefined;
}

/** The alternatives of a union; none for another schema. */
export const branchesOf = (schema: Schema): Schema[] => schema.oneOf ?? schema.anyOf ?? [];

/** The types that a schema names. */
export const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat());

/** Says nothing about which values are valid. */
const ANNOTATIONS = new Set(['description', 'title', 'default', 'deprecated', 'example', 'examples']);
const STRICTER: Record<string, (a: number, b: number) => number> = {
  ...Object.fromEntries(
    ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'].map((name) => [name, Math.min]),
  ),
  ...Object.fromEntries(
    ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'].map((name) => [name, Math.max]),
  ),
};

/** Follows the references of schemas, and judges values by them. */
export class SchemaSet {
  readonly #components: Components;
  readonly #ajv = new Ajv2020({ strict: false, logger: false });
  readonly #flat = new WeakMap<Schema, Schema>();
  readonly #validators = new WeakMap<Schema, ValidateFunction>();
  readonly #fits = new WeakMap<Schema, Map<number, boolean>>();

  constructor(components: Components) {
    this.#components = components;
    addFormats.default(this.#ajv, { mode: 'full' });
    for (const [name, schema] of Object.entries(components))
      this.#ajv.addSchema({ ...absolute(schema), $id: idOf(name) });
  }

  /** Whether a value is valid. */
  accepts(schema: Schema, value: unknown): boolean {
    let validate = this.#validators.get(schema);
    if (!validate) {
      validate = this.#ajv.compile(absolute(schema));
      this.#validators.set(schema, validate);
    }
    return validate(value) === true;
  }

  /** A schema that says the same without `$ref` and `allOf` at its top; throws where that cannot be. */
  flat(schema: Schema | boolean): Schema {
    if (typeof schema === 'boolean') return schema ? {} : { enum: [] };
    const known = this.#flat.get(schema);
    if (known) return known;
    const { $ref, allOf = [], ...rest } = schema;
    const parts: Schema[] = [...allOf];
    if ($ref !== undefined) {
      const target = this.#components[componentOf(schema) ?? ''];
      if (!target) throw new Error(`The document has no schema ${$ref}.`);
      parts.unshift(target);
    }
    let result: Schema = rest;
    for (const part of parts) result = merge(this.flat(part), result);
    if (result.not || (result.unevaluatedProperties !== undefined && branchesOf(result).length > 0))
      throw new Error('No values can be made from a schema with "not", or with "unevaluatedProperties".');
    const branches = branchesOf(result);
    const { oneOf, anyOf, discriminator: _discriminator, ...shared } = result;
    if (branches.length > 0) {
      const merged = branches.map((branch) =>
        // A branch keeps its reference where there is nothing to add: it is how recursion is noticed.
        constrains(shared) && !saysNoMore(shared, this.flat(branch))
          ? merge(this.flat(branch), shared)
          : branch,
      );
      result = oneOf ? { oneOf: merged } : { anyOf: merged };
      if (oneOf && anyOf) throw new Error('No values can be made from a schema with both oneOf and anyOf.');
    }
    this.#flat.set(schema, result);
    // What is flat already stays itself, so that what is known of it is found again.
    this.#flat.set(result, result);
    return result;
  }

  /**
   * The property that tells the variants of a union apart: one that each of them requires, with values that
   * no two of them share. Undefined where there is none.
   */
  tagOf(branches: readonly Schema[]): string | undefined {
    const flat = branches.map((branch) => this.flat(branch));
    return flat[0]?.required?.find((name) => {
      const values = flat.map((branch) => this.closed(branch, name) ?? []);
      return values.every((some) => some.length > 0) && new Set(values.flat()).size === values.flat().length;
    });
  }

  /** The few values of a property that an object must have; undefined where it may have any. */
  closed({ properties = {}, required = [] }: Schema, name: string): unknown[] | undefined {
    const property = properties[name];
    if (!property || !required.includes(name)) return undefined;
    const { enum: members, const: constant } = this.flat(property);
    return members ?? (constant === undefined ? undefined : [constant]);
  }

  /** Whether there is a valid value that nests arrays and objects no deeper than `depth`. */
  fits(given: Schema | boolean, depth: number): boolean {
    if (depth < 0) return false;
    const schema = this.flat(given);
    const known = this.#fits.get(schema) ?? new Map<number, boolean>();
    this.#fits.set(schema, known);
    let fits = known.get(depth);
    if (fits === undefined) {
      // A schema that leads to itself without nesting has no value that way.
      known.set(depth, false);
      fits = this.#fitsAnew(schema, depth);
      known.set(depth, fits);
    }
    return fits;
  }

  /** The least nesting of a valid value. */
  height(schema: Schema | boolean): number {
    for (let depth = 0; depth <= 30; depth++) if (this.fits(schema, depth)) return depth;
    throw new Error('The schema has no valid value, or only ones that are nested very deep.');
  }

  #fitsAnew(schema: Schema, depth: number): boolean {
    if (schema.enum) return schema.enum.length > 0;
    const branches = branchesOf(schema);
    if (branches.length > 0) return branches.some((branch) => this.fits(branch, depth));
    const types = typesOf(schema);
    if (types.length === 0 && !schema.properties) return true;
    return (types.length > 0 ? types : ['object']).some((type) => {
      if (type === 'array')
        return depth > 0 && (!schema.minItems || this.fits(schema.items ?? true, depth - 1));
      if (type !== 'object') return true;
      const { properties = {}, required = [] } = schema;
      return depth > 0 && required.every((name) => this.fits(properties[name] ?? true, depth - 1));
    });
  }
}

const constrains = (schema: Schema) =>
  Object.keys(schema).some((key) => !ANNOTATIONS.has(key) && !key.startsWith('x-'));

/** Whether `shared` only repeats what the branch says: most often, that it is an object. */
const saysNoMore = (shared: Schema, branch: Schema): boolean =>
  Object.entries(shared).every(
    ([key, value]) => ANNOTATIONS.has(key) || key.startsWith('x-') || same(branch[key], value),
  );

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Both schemas in one; throws where one keyword cannot say what the two do. */
function merge(first: Schema, second: Schema): Schema {
  const result: Schema = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = result[key];
    if (before === undefined || ANNOTATIONS.has(key) || same(before, value)) result[key] = value;
    else if (STRICTER[key]) result[key] = STRICTER[key](Number(before), Number(value));
    else if (key === 'required')
      result.required = [...new Set([...(first.required ?? []), ...[value].flat().map(String)])];
    else if (key === 'properties') result.properties = { ...first.properties, ...second.properties };
    else if (key === 'enum')
      result.enum = first.enum?.filter((one) => second.enum?.some((other) => same(one, other))) ?? [];
    else throw new Error(`Two values of "${key}" stand over one value; it cannot be made by both.`);
  }
  return result;
}

const idOf = (component: string) => `component:${encodeURIComponent(component)}`;

/** A copy whose references name components wherever it is put. */
function absolute(schema: Schema): Schema {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' ? idOf(inner.slice(PREFIX.length)) : copy(inner),
      ]),
    );
  };
  // A copy of a schema is one.
  return copy(schema) as Schema;
}
