import { unescapeFragmentToken } from '../../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject } from '../../document.ts';
import type { Source } from '../../source.ts';

/** A schema that a reference to a schema with a discriminator can mean. */
export interface InheritingSchema {
  /** Name of the component. */
  name: string;
  /** Values of the discriminating property that select it; none if the schema lists them itself. */
  values: readonly string[];
}

/** A schema with a discriminator, and those that inherit from it with `allOf` at any level. */
export interface Inheritance {
  property: string;
  mapping: JsonObject;
  /** The schema itself is among them if a value can select it. */
  members: readonly InheritingSchema[];
}

/**
 * Returns the schemas that others inherit from, by the name of their component: those with a discriminator and without a
 * union, and those of the others that have heirs themselves (OpenAPI 3.1, Discriminator Object).
 */
export function inheritancesOf({ root }: Source): ReadonlyMap<string, Inheritance> {
  const schemas =
    isObject(root.components) && isObject(root.components.schemas) ? root.components.schemas : {};
  const parents = new Map(Object.entries(schemas).map(([name, schema]) => [name, parentsOf(schema)]));
  const children = new Map<string, string[]>();
  for (const [name, list] of parents) {
    for (const parent of list) {
      children.set(parent, [...(children.get(parent) ?? []), name]);
    }
  }
  const inheritances = new Map<string, Inheritance>();
  for (const name of children.keys()) {
    const discriminator = discriminatorOf(schemas, parents, name);
    if (discriminator === undefined) {
      continue;
    }
    const mapping = isObject(discriminator.mapping) ? discriminator.mapping : {};
    const property = String(discriminator.propertyName);
    const members = [name, ...descendantsOf(children, name)].flatMap((member): InheritingSchema[] => {
      const values = Object.entries(mapping).flatMap(([value, target]) =>
        nameIn(target) === member ? [value] : [],
      );
      const isBase = parents.get(member)?.length === 0;
      if (values.length === 0 && isBase && Object.keys(mapping).length > 0) {
        return [];
      }
      const isListed = listsValues(schemas[member], property);
      return [{ name: member, values: isListed ? [] : values.length > 0 ? values : [member] }];
    });
    inheritances.set(name, { property, mapping, members });
  }
  return inheritances;
}

const nameIn = (target: Json): string => unescapeFragmentToken(String(target).replace(/^.*\//, ''));

/** Names of the components that a component extends. */
function parentsOf(schema: Json): string[] {
  const parts = isObject(schema) && Array.isArray(schema.allOf) ? schema.allOf : [];
  return parts.flatMap((part) =>
    isObject(part) && typeof part.$ref === 'string' && part.$ref.startsWith('#/components/schemas/')
      ? [nameIn(part.$ref)]
      : [],
  );
}

/** The discriminator of a schema, or of the closest one that it extends. */
function discriminatorOf(
  schemas: JsonObject,
  parents: ReadonlyMap<string, readonly string[]>,
  name: string,
  seen = new Set<string>(),
): JsonObject | undefined {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (seen.has(name) || !isObject(schema) || schema.oneOf !== undefined || schema.anyOf !== undefined) {
    return undefined;
  }
  seen.add(name);
  const { discriminator } = schema;
  if (isObject(discriminator) && typeof discriminator.propertyName === 'string') {
    return discriminator;
  }
  const inherited = (parents.get(name) ?? []).map((parent) =>
    discriminatorOf(schemas, parents, parent, seen),
  );
  return inherited.find((found) => found !== undefined);
}

function descendantsOf(children: ReadonlyMap<string, readonly string[]>, name: string): string[] {
  const descendants = new Set(children.get(name) ?? []);
  for (const descendant of descendants) {
    for (const child of children.get(descendant) ?? []) {
      descendants.add(child);
    }
  }
  descendants.delete(name);
  return [...descendants];
}

/** Whether a schema states the values of a property itself. */
function listsValues(schema: Json | undefined, property: string): boolean {
  if (!isObject(schema)) {
    return false;
  }
  const { properties, allOf } = schema;
  const own = isObject(properties) && Object.hasOwn(properties, property) ? properties[property] : undefined;
  const isListed = isObject(own) && (own.const !== undefined || own.enum !== undefined);
  const parts = Array.isArray(allOf) ? allOf.filter((part) => isObject(part) && part.$ref === undefined) : [];
  return isListed || parts.some((part) => listsValues(part, property));
}
