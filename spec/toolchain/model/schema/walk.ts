import { formatPointer } from '../../../../server/contract/json-values.ts';
import { expression } from './expressions.ts';
import type { AnySchema, Schema } from './keywords.ts';
import type { SchemaLookup } from './schema-lookup.ts';

/** A nested value and its schemas. */
export interface VisitedValue {
  value: unknown;
  /** Names and indexes from the root. */
  path: readonly (string | number)[];
  /** The schemas declared for the value. */
  declared: readonly AnySchema[];
  /** All applicable schemas, including references, `allOf`, and matching variants of unions. */
  schemas: readonly Schema[];
}

/** Visits a value and all nested values, parents first. */
export function walk(
  set: SchemaLookup,
  schema: AnySchema,
  value: unknown,
  visit: (visited: VisitedValue) => void,
): void {
  const enter = (
    declared: readonly AnySchema[],
    inner: unknown,
    path: readonly (string | number)[],
  ): void => {
    const schemas = [...declared.reduce((all, schema) => apply(set, schema, inner, all), new Set<Schema>())];
    visit({ value: inner, path, declared, schemas });
    if (Array.isArray(inner)) {
      for (const [index, item] of inner.entries()) {
        enter(
          schemas.flatMap((schema) => itemSchemas(schema, index)),
          item,
          [...path, index],
        );
      }
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [name, property] of Object.entries(inner)) {
        enter(
          schemas.flatMap((schema) => propertySchemas(schema, name) ?? otherSchemas(schema)),
          property,
          [...path, name],
        );
      }
    }
  };
  enter([schema], value, []);
}

/** Adds a schema and all schemas that apply with it to a value. */
function apply(set: SchemaLookup, schema: AnySchema, value: unknown, all: Set<Schema>): Set<Schema> {
  if (typeof schema === 'boolean' || all.has(schema)) {
    return all;
  }
  all.add(schema);
  const { $ref, allOf = [], oneOf = [], anyOf = [] } = schema;
  const more = [...branchesThatFit(set, oneOf, value), ...branchesThatFit(set, anyOf, value), ...allOf];
  if ($ref !== undefined) {
    more.push(set.target($ref));
  }
  if (schema.if !== undefined) {
    more.push((set.accepts(schema.if, value) ? schema.then : schema.else) ?? true);
  }
  for (const other of more) {
    apply(set, other, value, all);
  }
  return all;
}

/**
 * Returns the variants of a union that match a value. If only one variant is likely, returns it without validation.
 */
function branchesThatFit(set: SchemaLookup, branches: readonly AnySchema[], value: unknown): AnySchema[] {
  const likely = likelyBranches(set, branches, value);
  return likely.length === 1 ? likely : likely.filter((branch) => set.accepts(branch, value));
}

/** Returns the variants that a value may match, based on a quick check. */
export function likelyBranches(
  set: SchemaLookup,
  branches: readonly AnySchema[],
  value: unknown,
): AnySchema[] {
  return branches.filter((branch) => {
    const guard = set.guardOf(branch);
    return guard === undefined || set.accepts(guard, value);
  });
}

/** Returns the schemas of a property by its name; undefined if there are none. */
function propertySchemas(
  { properties, patternProperties = {} }: Schema,
  name: string,
): AnySchema[] | undefined {
  const schemas = Object.entries(patternProperties)
    .filter(([pattern]) => expression(pattern).test(name))
    .map(([, schema]) => schema);
  const declared = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (declared !== undefined) {
    schemas.unshift(declared);
  }
  return schemas.length > 0 ? schemas : undefined;
}

/** Returns the schemas of properties that a schema does not declare. */
const otherSchemas = ({ additionalProperties, unevaluatedProperties }: Schema): AnySchema[] => {
  const others = additionalProperties ?? unevaluatedProperties;
  return others === undefined ? [] : [others];
};

function itemSchemas({ items, prefixItems = [] }: Schema, index: number): AnySchema[] {
  const item = index < prefixItems.length ? prefixItems[index] : items;
  return item === undefined ? [] : [item];
}

/** Returns JSON Pointers to undeclared fields (see `SchemaSet.undeclared`). */
export function undeclaredIn(set: SchemaLookup, schema: AnySchema, value: unknown): string[] {
  const pointers: string[] = [];
  walk(set, schema, value, ({ value: object, path, schemas }) => {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) {
      return;
    }
    const isOpen = schemas.some((schema) => otherSchemas(schema).some((others) => others !== false));
    if (isOpen || !schemas.some((schema) => schema.properties ?? schema.patternProperties)) {
      return;
    }
    // A value that matches no variant of a union is reported as invalid elsewhere.
    if (schemas.some((schema) => matchesNoVariant(set, schema, object))) {
      return;
    }
    for (const name of Object.keys(object)) {
      if (!schemas.some((schema) => propertySchemas(schema, name))) {
        pointers.push(formatPointer([...path, name]));
      }
    }
  });
  return pointers;
}

const matchesNoVariant = (set: SchemaLookup, { oneOf, anyOf }: Schema, value: unknown) =>
  [oneOf, anyOf].some((branches) => branches && branchesThatFit(set, branches, value).length === 0);
