import { isDeepStrictEqual } from 'node:util';
import { expression } from './expressions.ts';
import { ANY_VALUE, type AnySchema, isAnnotation, NO_VALUE, type Schema, typesOf } from './keywords.ts';

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
const OBJECT_KEYWORDS = new Set(['properties', 'additionalProperties', 'patternProperties']);
/** Keywords that are only meaningful together. */
const KEYWORD_GROUPS = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
];

/**
 * Merges two schemas without references. Keywords that cannot be merged remain in `allOf`: values are generated without
 * them and validated against the whole schema.
 */
export function merge(first: Schema, second: Schema): Schema {
  if (isDeepStrictEqual(first, second)) {
    return first;
  }
  const result: Schema = { ...first, ...objectsOf(first, second) };
  const others: AnySchema[] = [...(first.allOf ?? []), ...(second.allOf ?? [])];
  const merged = new Set<string>(['allOf']);
  for (const [key, value] of Object.entries(second)) {
    if (merged.has(key) || OBJECT_KEYWORDS.has(key)) {
      continue;
    }
    const group = KEYWORD_GROUPS.find((keys) => keys.includes(key)) ?? [key];
    const fresh = group.every((name) => first[name] === undefined);
    if (fresh || group.every((name) => isDeepStrictEqual(first[name], second[name])) || isAnnotation(key)) {
      result[key] = value;
    } else if (!narrow(result, key, first, second)) {
      for (const name of group) {
        merged.add(name);
      }
      others.push(
        Object.fromEntries(group.filter((name) => name in second).map((name) => [name, second[name]])),
      );
    }
  }
  if (typesOf(result).length === 0 && (first.type !== undefined || second.type !== undefined)) {
    return NO_VALUE;
  }
  if (others.length > 0) {
    result.allOf = others;
  }
  return result;
}

/** Merges two values of a keyword. Returns false if they cannot be merged. */
function narrow(result: Schema, key: string, first: Schema, second: Schema): boolean {
  const stricter = STRICTER[key];
  if (stricter) {
    result[key] = stricter(Number(first[key]), Number(second[key]));
  } else if (key === 'required') {
    result.required = [...new Set([...(first.required ?? []), ...(second.required ?? [])])];
  } else if (key === 'enum') {
    result.enum = (first.enum ?? []).filter((value) =>
      second.enum?.some((other) => isDeepStrictEqual(value, other)),
    );
  } else if (key === 'type') {
    result.type = typesOf(first).flatMap((type) => within(type, typesOf(second)));
  } else if (key === 'uniqueItems') {
    result.uniqueItems = first.uniqueItems === true || second.uniqueItems === true;
  } else if (key === 'items') {
    result.items = both(first.items ?? true, second.items ?? true);
  } else {
    return false;
  }
  return true;
}

/** Returns the intersection of a type with others. Integers are numbers. */
function within(type: string, others: string[]): string[] {
  if (others.includes(type)) {
    return [type];
  }
  if (type === 'number' && others.includes('integer')) {
    return ['integer'];
  }
  return type === 'integer' && others.includes('number') ? ['integer'] : [];
}

/** Merges declared, pattern and additional properties of both schemas. */
function objectsOf(first: Schema, second: Schema): Schema {
  const names = new Set([...Object.keys(first.properties ?? {}), ...Object.keys(second.properties ?? {})]);
  const result: Schema = {};
  const properties = [...names].map((name): [string, AnySchema] => [
    name,
    both(ofName(first, name), ofName(second, name)),
  ]);
  if (properties.length > 0) {
    result.properties = Object.fromEntries(properties);
  }
  if (first.additionalProperties !== undefined || second.additionalProperties !== undefined) {
    result.additionalProperties = both(
      first.additionalProperties ?? true,
      second.additionalProperties ?? true,
    );
  }
  const patterns = [
    ...Object.entries(first.patternProperties ?? {}),
    ...Object.entries(second.patternProperties ?? {}),
  ];
  for (const [pattern, schema] of patterns) {
    const previous = result.patternProperties?.[pattern] ?? true;
    result.patternProperties = { ...result.patternProperties, [pattern]: both(previous, schema) };
  }
  return result;
}

/** Returns the schema of a property by its name. */
function ofName(schema: Schema, name: string): AnySchema {
  const properties = schema.properties;
  if (properties && Object.hasOwn(properties, name)) {
    return properties[name] ?? true;
  }
  const byPattern = Object.keys(schema.patternProperties ?? {}).some((pattern) =>
    expression(pattern).test(name),
  );
  return byPattern ? true : (schema.additionalProperties ?? true);
}

function both(first: AnySchema, second: AnySchema): AnySchema {
  if (first === false || second === false) {
    return false;
  }
  if (first === true || first === ANY_VALUE) {
    return second;
  }
  if (second === true || second === ANY_VALUE || isDeepStrictEqual(first, second)) {
    return first;
  }
  return { allOf: [first, second] };
}
