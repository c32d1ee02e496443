import type { ErrorObject } from 'ajv/dist/2020.js';
import { formatPointer } from '../../../../server/contract/json-values.ts';
import { expression } from './expressions.ts';
import { type AnySchema, type Schema, typeOf } from './keywords.ts';
import type { SchemaLookup } from './schema-lookup.ts';
import type { Validator } from './validator.ts';
import { likelyBranches } from './walk.ts';

/** A validation error of a value. */
export interface Fault {
  /** JSON Pointer to the invalid value, the missing property or the unknown property. */
  pointer: string;
  /** The violated keyword of JSON Schema. */
  keyword: string;
  /** Message without the value: `must be string`. */
  message: string;
}

type Path = readonly (string | number)[];

/** Keywords that are validated here instead of by Ajv, which reports errors for every variant of a union. */
const OWN_KEYWORDS = new Set([
  '$ref',
  'allOf',
  'oneOf',
  'anyOf',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'items',
  'prefixItems',
  'if',
  'then',
  'else',
  'required',
]);

const local = new WeakMap<Schema, Schema>();

/** Returns a schema without the keywords for nested values. */
function localOf(schema: Schema): Schema {
  let shallow = local.get(schema);
  if (!shallow) {
    shallow = Object.fromEntries(Object.entries(schema).filter(([key]) => !OWN_KEYWORDS.has(key)));
    local.set(schema, shallow);
  }
  return shallow;
}

/** Implements `SchemaSet.faults`. */
export function faultsOf(
  set: SchemaLookup,
  validator: Validator,
  schema: AnySchema,
  value: unknown,
): Fault[] {
  const errors = validator.errors(schema, value);
  if (errors.length === 0) {
    return [];
  }
  const located = new FaultFinder(set, validator).find(schema, value, []);
  // Only Ajv reports errors that span several schemas, such as those of unevaluatedProperties.
  const faults = located.length > 0 ? located : mainOf(errors).map((error) => faultOf(error, []));
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

class FaultFinder {
  readonly #set: SchemaLookup;
  readonly #validator: Validator;

  constructor(set: SchemaLookup, validator: Validator) {
    this.#set = set;
    this.#validator = validator;
  }

  find(schema: AnySchema, value: unknown, path: Path): Fault[] {
    if (schema === true) {
      return [];
    }
    if (schema === false) {
      return [{ pointer: formatPointer(path), keyword: 'false schema', message: 'must not be present' }];
    }
    const faults = this.#validator.errors(localOf(schema), value).map((error) => faultOf(error, path));
    // Errors of other keywords follow from the type error.
    if (faults.some(({ keyword }) => keyword === 'type')) {
      return faults;
    }
    if (schema.$ref !== undefined) {
      faults.push(...this.find(this.#set.target(schema.$ref), value, path));
    }
    for (const part of schema.allOf ?? []) {
      faults.push(...this.find(part, value, path));
    }
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      if (schema[keyword]) {
        faults.push(...this.#ofUnion(keyword, schema[keyword], value, path));
      }
    }
    if (schema.if !== undefined) {
      const branch = this.#set.accepts(schema.if, value) ? schema.then : schema.else;
      faults.push(...this.find(branch ?? true, value, path));
    }
    if (Array.isArray(value)) {
      faults.push(...this.#ofItems(schema, value, path));
    } else if (typeof value === 'object' && value !== null) {
      faults.push(...this.#ofProperties(schema, new Map(Object.entries(value)), path));
    }
    return faults;
  }

  #ofItems({ items = true, prefixItems = [] }: Schema, values: unknown[], path: Path): Fault[] {
    return values.flatMap((value, index) => this.find(prefixItems[index] ?? items, value, [...path, index]));
  }

  #ofProperties(schema: Schema, values: Map<string, unknown>, path: Path): Fault[] {
    const { properties = {}, patternProperties = {}, additionalProperties: others, required = [] } = schema;
    const faults = required
      .filter((name) => !values.has(name))
      .map((name) => ({
        pointer: formatPointer([...path, name]),
        keyword: 'required',
        message: 'is required',
      }));
    for (const [name, value] of values) {
      const at = [...path, name];
      const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const byPattern = Object.entries(patternProperties).filter(([key]) => expression(key).test(name));
      if (declared !== undefined) {
        faults.push(...this.find(declared, value, at));
      }
      for (const [, pattern] of byPattern) {
        faults.push(...this.find(pattern, value, at));
      }
      if (declared !== undefined || byPattern.length > 0 || others === undefined) {
        continue;
      }
      if (others === false) {
        faults.push({
          pointer: formatPointer(at),
          keyword: 'additionalProperties',
          message: 'is not a known property',
        });
      } else {
        faults.push(...this.find(others, value, at));
      }
    }
    return faults;
  }

  #ofUnion(keyword: 'oneOf' | 'anyOf', branches: readonly AnySchema[], value: unknown, path: Path): Fault[] {
    const likely = likelyBranches(this.#set, branches, value);
    const [only] = likely;
    // Without validating the value first, which would traverse it again at each nested union.
    if (likely.length === 1 && only !== undefined) {
      return this.find(only, value, path);
    }
    const fitting = likely.filter((branch) => this.#set.accepts(branch, value)).length;
    if (fitting === 1 || (fitting > 1 && keyword === 'anyOf')) {
      return [];
    }
    const pointer = formatPointer(path);
    if (fitting > 1) {
      return [{ pointer, keyword, message: `matches ${fitting} variants but must match exactly one` }];
    }
    const tagged = likely.length === 0 ? this.#byTag(branches, value, path) : likely;
    if (!Array.isArray(tagged)) {
      return [tagged];
    }
    const [closest = []] = tagged
      .map((branch) => this.#faultsOfVariant(branch, value, path))
      .sort((a, b) => distance(a, pointer) - distance(b, pointer));
    return closest.length > 0 ? closest : [{ pointer, keyword, message: 'matches no variant' }];
  }

  /** Returns the faults of a value that is known to violate a schema. */
  #faultsOfVariant(schema: AnySchema, value: unknown, path: Path): Fault[] {
    const faults = this.find(schema, value, path);
    if (faults.length > 0) {
      return faults;
    }
    return mainOf(this.#validator.errors(schema, value)).map((error) => faultOf(error, path));
  }

  /** Returns the variants with the tag of a value, all variants if there are no tags, or a fault if none matches. */
  #byTag(branches: readonly AnySchema[], value: unknown, path: Path): AnySchema[] | Fault {
    const objects = branches.filter((branch) => this.#set.flat(branch).properties);
    const tag = typeOf(value) === 'object' ? this.#set.tagOf(objects) : undefined;
    if (tag === undefined) {
      return [...branches];
    }
    const tagValue: unknown = Reflect.get(Object(value), tag);
    const tagsOf = (branch: AnySchema) => this.#set.closed(this.#set.flat(branch), tag) ?? [];
    const named = objects.filter((branch) => tagsOf(branch).includes(tagValue));
    if (named.length > 0) {
      return named;
    }
    const tags = objects.flatMap(tagsOf);
    return {
      pointer: formatPointer([...path, tag]),
      keyword: tagValue === undefined ? 'required' : 'enum',
      message: `must be one of ${tags.slice(0, 12).map(String).join(', ')}${tags.length > 12 ? ' and others' : ''}`,
    };
  }
}

/** Returns the most specific errors of Ajv: those that span several schemas, otherwise the last one. */
const mainOf = (errors: readonly ErrorObject[]): readonly ErrorObject[] =>
  errors
    .filter(({ keyword }) => keyword.startsWith('unevaluated'))
    .slice(0, 1)
    .concat(errors.slice(-1))
    .slice(0, 1);

/** Returns the distance of a value from a variant. Faults of the whole value count more than nested ones. */
const distance = (faults: readonly Fault[], pointer: string): number =>
  faults.reduce((sum, fault) => sum + (fault.pointer === pointer ? 100 : 1), 0);

function faultOf({ instancePath, keyword, message = 'is invalid', params }: ErrorObject, path: Path): Fault {
  const allowed: unknown = keyword === 'enum' ? params.allowedValues : undefined;
  const surplus: unknown = params.unevaluatedProperty ?? params.additionalProperty;
  return {
    pointer: `${formatPointer(path)}${instancePath}${surplus === undefined ? '' : formatPointer([String(surplus)])}`,
    keyword,
    message: Array.isArray(allowed)
      ? `must be one of ${allowed
          .slice(0, 12)
          .map((value) => JSON.stringify(value))
          .join(', ')}`
      : keyword === 'const'
        ? `must be ${JSON.stringify(params.allowedValue)}`
        : surplus !== undefined
          ? 'is not a known property'
          : message,
  };
}
