import type { Hierarchy, Tag } from '../../../../server/contract/validation/hierarchies.ts';
import { isObject, type Json, type JsonObject } from '../../document.ts';
import type { References } from '../../references.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * Converts a discriminator to JSON Schema: adds the value of its property to each variant of a union (OpenAPI,
 * Discriminator Object). Variants that already declare it are unchanged.
 */
export function discriminated(
  schema: Schema,
  raw: JsonObject,
  { propertyName, mapping }: JsonObject,
  references: References,
): void {
  const tag = String(propertyName);
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const branches = raw[keyword];
    if (!Array.isArray(branches) || !schema[keyword]) {
      continue;
    }
    schema[keyword] = schema[keyword].map((branch, index) => {
      const $ref = isObject(branches[index]) ? branches[index].$ref : undefined;
      if (typeof $ref !== 'string' || declaresTag(references.at($ref), tag, references)) {
        return branch;
      }
      return { allOf: [branch, tagged(tag, tagsOf($ref, mapping, references))] };
    });
  }
}

const tagged = (tag: string, values: Tag[]): Schema => ({
  type: 'object',
  required: [tag],
  properties: { [tag]: { enum: values } },
});

/** Returns the discriminator values of a schema: those of the mapping, otherwise its name. */
function tagsOf($ref: string, mapping: Json | undefined, references: References): string[] {
  const pointer = references.pointer($ref);
  const mapped = Object.entries(isObject(mapping) ? mapping : {})
    .filter(([, to]) => pointerOf(String(to), references) === pointer)
    .map(([value]) => value);
  return mapped.length > 0 ? mapped : [pointer.slice(pointer.lastIndexOf('/') + 1)];
}

/** Resolves the target of a mapping: a reference, or the name of a component. */
const pointerOf = (to: string, references: References): string =>
  references.pointer(to.startsWith('#') ? to : `#/components/schemas/${to}`);

/** Returns whether a schema itself has fixed values for the property. */
function declaresTag(schema: Json, tag: string, references: References, hops = 0): boolean {
  if (!isObject(schema) || hops > 8) {
    return false;
  }
  const parts = [...(Array.isArray(schema.allOf) ? schema.allOf : [])];
  if (typeof schema.$ref === 'string') {
    parts.push(references.at(schema.$ref));
  }
  if (parts.some((part) => declaresTag(part, tag, references, hops + 1))) {
    return true;
  }
  const property = references.object(
    isObject(schema.properties) ? schema.properties[tag] : undefined,
    `the property ${tag}`,
  );
  return property !== undefined && (property.enum !== undefined || property.const !== undefined);
}

/**
 * Returns the schemas that values of a schema can have because others inherit from it, each with the values of the
 * discriminator that name it. Empty for other schemas.
 *
 * @param isOptional whether values can lack the property, which are then values of the schema itself
 */
export function inheriting({ property, members }: Hierarchy, isOptional: boolean): Inheriting {
  const values = new Map<string, Tag[]>();
  for (const { value, targets } of members) {
    for (const target of targets) {
      values.set(target, [...(values.get(target) ?? []), value]);
    }
  }
  return {
    variants: [...values].map(([name, names]) => ({ name, tag: tagged(property, names) })),
    ...(isOptional && { untagged: { properties: { [property]: false } } }),
  };
}

/** The schemas that values of a schema can have. */
export interface Inheriting {
  variants: { name: string; tag: Schema }[];
  /** Accepts the values that name no schema. */
  untagged?: Schema;
}
