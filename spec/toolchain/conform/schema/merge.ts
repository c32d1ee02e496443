import { isDeepStrictEqual } from 'node:util';
import { ANYTHING, type AnySchema, isAnnotation, NOTHING, type Schema, typesOf } from './keywords.ts';

const STRICTER: Record<string, (a: number, b: number) => number> = {
  ...Object.fromEntries(
    ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties', 'maxContains'].map((name) => [
      name,
      Math.min,
    ]),
  ),
  ...Object.fromEntries(
    ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'].map((name) => [name, Math.max]),
  ),
};
const OF_OBJECTS = new Set(['properties', 'additionalProperties', 'patternProperties']);
/** Keywords that mean something only together. */
const GROUPS = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
];

/**
 * Both schemas in one, neither of which has a reference. What one keyword cannot say of both stands in `allOf`
 * beside the rest: values are then made by the rest, and held against the whole.
 */
export function merge(first: Schema, second: Schema): Schema {
  if (isDeepStrictEqual(first, second)) return first;
  const result: Schema = { ...first, ...objectsOf(first, second) };
  const beside: AnySchema[] = [...(first.allOf ?? []), ...(second.allOf ?? [])];
  const told = new Set<string>(['allOf']);
  for (const [key, value] of Object.entries(second)) {
    if (told.has(key) || OF_OBJECTS.has(key)) continue;
    const group = GROUPS.find((keys) => keys.includes(key)) ?? [key];
    const fresh = group.every((name) => first[name] === undefined);
    if (fresh || group.every((name) => isDeepStrictEqual(first[name], second[name])) || isAnnotation(key))
      result[key] = value;
    else if (!narrow(result, key, first, second)) {
      for (const name of group) told.add(name);
      beside.push(
        Object.fromEntries(group.filter((name) => name in second).map((name) => [name, second[name]])),
      );
    }
  }
  if (typesOf(result).length === 0 && (first.type !== undefined || second.type !== undefined)) return NOTHING;
  if (beside.length > 0) result.allOf = beside;
  return result;
}

/** Says in one keyword what two of the same name do; false where that cannot be. */
function narrow(result: Schema, key: string, first: Schema, second: Schema): boolean {
  const stricter = STRICTER[key];
  if (stricter) result[key] = stricter(Number(first[key]), Number(second[key]));
  else if (key === 'required')
    result.required = [...new Set([...(first.required ?? []), ...(second.required ?? [])])];
  else if (key === 'enum')
    result.enum = (first.enum ?? []).filter((one) =>
      second.enum?.some((other) => isDeepStrictEqual(one, other)),
    );
  else if (key === 'type') result.type = typesOf(first).flatMap((type) => within(type, typesOf(second)));
  else if (key === 'uniqueItems')
    result.uniqueItems = first.uniqueItems === true || second.uniqueItems === true;
  else if (key === 'items') result.items = both(first.items ?? true, second.items ?? true);
  else return false;
  return true;
}

/** A type as far as others have it, too: integers are numbers. */
function within(type: string, others: string[]): string[] {
  if (others.includes(type)) return [type];
  if (type === 'number' && others.includes('integer')) return ['integer'];
  return type === 'integer' && others.includes('number') ? ['integer'] : [];
}

/** The properties that both schemas let in, by name, by pattern and beside those. */
function objectsOf(first: Schema, second: Schema): Schema {
  const names = new Set([...Object.keys(first.properties ?? {}), ...Object.keys(second.properties ?? {})]);
  const result: Schema = {};
  const properties = [...names].map((name): [string, AnySchema] => [
    name,
    both(ofName(first, name), ofName(second, name)),
  ]);
  if (properties.length > 0) result.properties = Object.fromEntries(properties);
  if (first.additionalProperties !== undefined || second.additionalProperties !== undefined)
    result.additionalProperties = both(
      first.additionalProperties ?? true,
      second.additionalProperties ?? true,
    );
  const patterns = [
    ...Object.entries(first.patternProperties ?? {}),
    ...Object.entries(second.patternProperties ?? {}),
  ];
  for (const [pattern, schema] of patterns) {
    const known = result.patternProperties?.[pattern] ?? true;
    result.patternProperties = { ...result.patternProperties, [pattern]: both(known, schema) };
  }
  return result;
}

/** What a schema says about the property of a name. */
function ofName(schema: Schema, name: string): AnySchema {
  const own = schema.properties;
  if (own && Object.hasOwn(own, name)) return own[name] ?? true;
  const byPattern = Object.keys(schema.patternProperties ?? {}).some((pattern) =>
    expression(pattern).test(name),
  );
  return byPattern ? true : (schema.additionalProperties ?? true);
}

function both(first: AnySchema, second: AnySchema): AnySchema {
  if (first === false || second === false) return false;
  if (first === true || first === ANYTHING) return second;
  if (second === true || second === ANYTHING || isDeepStrictEqual(first, second)) return first;
  return { allOf: [first, second] };
}

/**
 * The expression of a `pattern`, which is meant to be read as Unicode; many that are written are not valid that
 * way. One that is no expression of JavaScript at all lets everything in.
 */
export function expression(pattern: string): RegExp {
  for (const flags of ['u', ''])
    try {
      return new RegExp(pattern, flags);
    } catch {
      // The next way to read it, if there is one.
    }
  return /^/;
}
