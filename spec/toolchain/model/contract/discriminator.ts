import { isObject, type Json, type JsonObject } from '../../document.ts';
import type { Schema } from '../schema/schema.ts';
import type { References } from './references.ts';

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

const tagged = (tag: string, values: string[]): Schema => ({
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
 * Returns the schemas that extend, through `allOf`, a schema with a discriminator but without a union. Empty for other
 * schemas.
 */
export function subtypesOf(schemas: JsonObject, references: References, $ref: string): string[] {
  const pointer = references.pointer($ref);
  const base = references.at($ref);
  if (!isObject(base) || !isObject(base.discriminator) || base.oneOf || base.anyOf) {
    return [];
  }
  return Object.entries(schemas)
    .filter(
      ([, schema]) =>
        isObject(schema) &&
        Array.isArray(schema.allOf) &&
        schema.allOf.some(
          (part) =>
            isObject(part) && typeof part.$ref === 'string' && references.pointer(part.$ref) === pointer,
        ),
    )
    .map(([name]) =>
      references.pointer(`#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
}

/**
 * Returns the discriminator constraint that a schema inherits from the schema it extends; undefined if there is none,
 * or if the schema declares it itself.
 */
export function ownTag(schema: Json, pointer: string, references: References): Schema | undefined {
  if (!isObject(schema) || !Array.isArray(schema.allOf)) {
    return undefined;
  }
  for (const part of schema.allOf) {
    const base = isObject(part) && typeof part.$ref === 'string' ? references.at(part.$ref) : undefined;
    if (!isObject(base) || !isObject(base.discriminator) || base.oneOf || base.anyOf) {
      continue;
    }
    const tag = String(base.discriminator.propertyName);
    if (!declaresTag({ allOf: schema.allOf.filter((member) => member !== part) }, tag, references)) {
      return tagged(tag, tagsOf(pointer, base.discriminator.mapping, references));
    }
  }
  return undefined;
}
