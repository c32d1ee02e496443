import type { ErrorObject } from 'ajv/dist/2020.js';
import { type AnySchema, type Schema, typeOf } from './keywords.ts';
import { expression } from './merge.ts';
import type { SchemaSet } from './schema.ts';
import type { Validator } from './validator.ts';
import { likelyBranches, pointerOf } from './walk.ts';

/** What is wrong with a value. */
export interface Fault {
  /** A JSON pointer to the value at fault: to the missing or surplus property, where it is one. */
  pointer: string;
  /** The keyword of JSON Schema that it breaks. */
  keyword: string;
  /** What is wrong, without the value itself: `must be string`. */
  message: string;
}

type Path = readonly (string | number)[];

/** Keywords that are gone into here rather than by ajv, which would tell of every variant of a union. */
const ENTERED = new Set([
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

/** What a schema says of a value but not of what is within it. */
function localOf(schema: Schema): Schema {
  let own = local.get(schema);
  if (!own) {
    own = Object.fromEntries(Object.entries(schema).filter(([key]) => !ENTERED.has(key)));
    local.set(schema, own);
  }
  return own;
}

/** See `SchemaSet.faults`. */
export function faultsOf(set: SchemaSet, validator: Validator, schema: AnySchema, value: unknown): Fault[] {
  const told = validator.errors(schema, value);
  if (told.length === 0) return [];
  const found = new FaultFinder(set, validator).find(schema, value, []);
  // What stands across schemas, as unevaluatedProperties does, only ajv tells.
  const faults = found.length > 0 ? found : mainOf(told).map((error) => faultOf(error, []));
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

class FaultFinder {
  readonly #set: SchemaSet;
  readonly #validator: Validator;

  constructor(set: SchemaSet, validator: Validator) {
    this.#set = set;
    this.#validator = validator;
  }

  find(schema: AnySchema, value: unknown, path: Path): Fault[] {
    if (schema === true) return [];
    if (schema === false)
      return [{ pointer: pointerOf(path), keyword: 'false schema', message: 'must not be there' }];
    const faults = this.#validator.errors(localOf(schema), value).map((error) => faultOf(error, path));
    // What is of another type breaks other keywords only because of that.
    if (faults.some(({ keyword }) => keyword === 'type')) return faults;
    if (schema.$ref !== undefined) faults.push(...this.find(this.#set.target(schema.$ref), value, path));
    for (const part of schema.allOf ?? []) faults.push(...this.find(part, value, path));
    for (const keyword of ['oneOf', 'anyOf'] as const)
      if (schema[keyword]) faults.push(...this.#ofUnion(keyword, schema[keyword], value, path));
    if (schema.if !== undefined) {
      const way = this.#set.accepts(schema.if, value) ? schema.then : schema.else;
      faults.push(...this.find(way ?? true, value, path));
    }
    if (Array.isArray(value)) faults.push(...this.#ofItems(schema, value, path));
    else if (typeof value === 'object' && value !== null)
      faults.push(...this.#ofProperties(schema, new Map(Object.entries(value)), path));
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
        pointer: pointerOf([...path, name]),
        keyword: 'required',
        message: 'is missing, and is required',
      }));
    for (const [name, value] of values) {
      const at = [...path, name];
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const byPattern = Object.entries(patternProperties).filter(([key]) => expression(key).test(name));
      if (own !== undefined) faults.push(...this.find(own, value, at));
      for (const [, pattern] of byPattern) faults.push(...this.find(pattern, value, at));
      if (own !== undefined || byPattern.length > 0 || others === undefined) continue;
      if (others === false)
        faults.push({
          pointer: pointerOf(at),
          keyword: 'additionalProperties',
          message: 'is no property that the schema has',
        });
      else faults.push(...this.find(others, value, at));
    }
    return faults;
  }

  #ofUnion(keyword: 'oneOf' | 'anyOf', branches: readonly AnySchema[], value: unknown, path: Path): Fault[] {
    const likely = likelyBranches(this.#set, branches, value);
    const [only] = likely;
    // Without asking whether it fits: that would go into the value once more at each union within it.
    if (likely.length === 1 && only !== undefined) return this.find(only, value, path);
    const fitting = likely.filter((branch) => this.#set.accepts(branch, value)).length;
    if (fitting === 1 || (fitting > 1 && keyword === 'anyOf')) return [];
    const pointer = pointerOf(path);
    if (fitting > 1) return [{ pointer, keyword, message: `fits ${fitting} variants, and must fit one` }];
    const tagged = likely.length === 0 ? this.#byTag(branches, value, path) : likely;
    if (!Array.isArray(tagged)) return [tagged];
    const [closest = []] = tagged
      .map((branch) => this.#told(branch, value, path))
      .sort((a, b) => distance(a, pointer) - distance(b, pointer));
    return closest.length > 0 ? closest : [{ pointer, keyword, message: 'fits no variant' }];
  }

  /** What is wrong by a schema that surely refuses a value. */
  #told(schema: AnySchema, value: unknown, path: Path): Fault[] {
    const found = this.find(schema, value, path);
    if (found.length > 0) return found;
    return mainOf(this.#validator.errors(schema, value)).map((error) => faultOf(error, path));
  }

  /** The variants that have the tag of a value, all where there are no tags, or the fault where none has it. */
  #byTag(branches: readonly AnySchema[], value: unknown, path: Path): AnySchema[] | Fault {
    const objects = branches.filter((branch) => this.#set.flat(branch).properties);
    const tag = typeOf(value) === 'object' ? this.#set.tagOf(objects) : undefined;
    if (tag === undefined) return [...branches];
    const own: unknown = Reflect.get(Object(value), tag);
    const tagsOf = (branch: AnySchema) => this.#set.closed(this.#set.flat(branch), tag) ?? [];
    const named = objects.filter((branch) => tagsOf(branch).includes(own));
    if (named.length > 0) return named;
    const tags = objects.flatMap(tagsOf);
    return {
      pointer: pointerOf([...path, tag]),
      keyword: own === undefined ? 'required' : 'enum',
      message: `must be one of ${tags.slice(0, 12).map(String).join(', ')}${tags.length > 12 ? ' and others' : ''}`,
    };
  }
}

/** Of what ajv tells the part that says most: what stands across schemas, else what it told last. */
const mainOf = (errors: readonly ErrorObject[]): readonly ErrorObject[] =>
  errors
    .filter(({ keyword }) => keyword.startsWith('unevaluated'))
    .slice(0, 1)
    .concat(errors.slice(-1))
    .slice(0, 1);

/** How far a value is from a variant: wrong as a whole is farther than wrong in places. */
const distance = (faults: readonly Fault[], pointer: string): number =>
  faults.reduce((sum, fault) => sum + (fault.pointer === pointer ? 100 : 1), 0);

function faultOf({ instancePath, keyword, message = 'is invalid', params }: ErrorObject, path: Path): Fault {
  const allowed: unknown = keyword === 'enum' ? params.allowedValues : undefined;
  const surplus: unknown = params.unevaluatedProperty ?? params.additionalProperty;
  return {
    pointer: `${pointerOf(path)}${instancePath}${surplus === undefined ? '' : pointerOf([String(surplus)])}`,
    keyword,
    message: Array.isArray(allowed)
      ? `must be one of ${allowed
          .slice(0, 12)
          .map((one) => JSON.stringify(one))
          .join(', ')}`
      : keyword === 'const'
        ? `must be ${JSON.stringify(params.allowedValue)}`
        : surplus !== undefined
          ? 'is no property that the schema has'
          : message,
  };
}
