import { type OpenApiDocument, schemaOf } from '../document.ts';
import { isObject } from '../json-values.ts';
import { discriminatorOf, fixedValues, isTag, schemaNameOf, type Tag } from './hierarchies.ts';

/** The possible values of each tag of a schema. A tag is a required property with a fixed set of values. */
type Tags = Map<string, Tag[]>;

/** The discriminator of a union. */
export interface Variants {
  /** The discriminating property. */
  tag: string;
  /** The tag values of each alternative; undefined for an alternative that is not an object. */
  values: (Tag[] | undefined)[];
}

/**
 * Finds the property that discriminates the objects of a union: required in each of them, with fixed values that do not
 * overlap; or the property of its `discriminator`. Objects without fixed values then have the values in its mapping, or
 * else their names. Returns undefined if there is no such property, or fewer than two objects.
 *
 * @param union a schema with `oneOf` or `anyOf`
 */
export function variantsOf(document: OpenApiDocument, union: Record<string, unknown>): Variants | undefined {
  if (union.oneOf && union.anyOf) {
    return undefined;
  }
  const alternatives = branchesOf(union).map((branch) =>
    isScalar(document, branch) ? undefined : tagsOf(document, branch, 0),
  );
  const objects = alternatives.filter((tags) => tags !== undefined);
  const [first, ...others] = objects;
  if (!first || others.length === 0) {
    return undefined;
  }
  for (const tag of first.keys()) {
    const all = objects.map((tags) => tags.get(tag) ?? []);
    const flat = all.flat();
    if (all.every((values) => values.length > 0) && new Set(flat).size === flat.length) {
      return { tag, values: alternatives.map((tags) => tags?.get(tag)) };
    }
  }
  return declaredVariants(
    document,
    union,
    alternatives.map((tags) => tags !== undefined),
  );
}

/** Returns the variants that the discriminator of a union declares. */
function declaredVariants(
  document: OpenApiDocument,
  union: Record<string, unknown>,
  isObjectAt: readonly boolean[],
): Variants | undefined {
  const discriminator = discriminatorOf(union);
  if (!discriminator) {
    return undefined;
  }
  const { property, mapping } = discriminator;
  const values = branchesOf(union).map((branch, index) => {
    if (!isObjectAt[index]) {
      return undefined;
    }
    const name = isObject(branch) && typeof branch.$ref === 'string' ? schemaNameOf(branch.$ref) : undefined;
    const mapped = [...mapping].flatMap(([value, target]) => (target === name ? [value] : []));
    const declared = fixedValues(document, branch, property);
    const narrowed = declared?.filter((value) => mapped.includes(String(value))) ?? mapped;
    return narrowed.length > 0 ? narrowed : (declared ?? (name === undefined ? [] : [name]));
  });
  const flat = values.flatMap((own = []) => own);
  const isComplete = values.every((own) => own === undefined || own.length > 0);
  return isComplete && new Set(flat).size === flat.length ? { tag: property, values } : undefined;
}

/** Returns whether a schema accepts no objects. */
function isScalar(document: OpenApiDocument, schema: unknown): boolean {
  const { type } = schemaOf(document, schema);
  const types = Array.isArray(type) ? type : [type];
  return types.every((name) => typeof name === 'string' && name !== 'object');
}

/** Returns the alternatives of a union; an empty array for other schemas. */
export function branchesOf(schema: Record<string, unknown>): unknown[] {
  const branches = schema.oneOf ?? schema.anyOf;
  return Array.isArray(branches) ? branches : [];
}

/** Maximum depth of nested unions. Guards against recursive unions. */
const MAX_UNION_DEPTH = 8;

function tagsOf(document: OpenApiDocument, branch: unknown, depth: number): Tags {
  const schema = schemaOf(document, branch);
  const branches = branchesOf(schema);
  if (branches.length > 0) {
    if (depth >= MAX_UNION_DEPTH) {
      return new Map();
    }
    const [first = new Map(), ...others] = branches.map((inner) => tagsOf(document, inner, depth + 1));
    const common: Tags = new Map();
    for (const [tag, values] of first) {
      if (others.every((other) => other.has(tag))) {
        common.set(tag, [...new Set([values, ...others.map((other) => other.get(tag) ?? [])].flat())]);
      }
    }
    return common;
  }
  const tags: Tags = new Map();
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) {
    return tags;
  }
  for (const [name, property] of Object.entries(properties)) {
    const { const: constant, enum: members } = schemaOf(document, property);
    const values = Array.isArray(members) ? members : [constant];
    if (required.includes(name) && values.every(isTag)) {
      tags.set(name, values);
    }
  }
  return tags;
}
