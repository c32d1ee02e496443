import { isObject, type OpenApiDocument, schemaOf } from './document.ts';

/** The values that each tag of a schema may have: of its required properties with closed values. */
type Tags = Map<string, string[]>;

/** How the alternatives of a union are told apart. */
export interface Variants {
  /** The property that tells the objects among them apart. */
  tag: string;
  /** For each alternative the values of its tag; undefined for one that is no object. */
  values: (string[] | undefined)[];
}

/**
 * Finds the property that tells the objects of a union apart: required in each of them, with closed
 * values that no two of them share. Undefined where there is none, or nothing to tell apart.
 *
 * @param union a schema with `oneOf` or `anyOf`
 */
export function variantsOf(document: OpenApiDocument, union: Record<string, unknown>): Variants | undefined {
  if (union.oneOf && union.anyOf) return undefined;
  const alternatives = branchesOf(union).map((branch) =>
    isScalar(document, branch) ? undefined : tagsOf(document, branch, 0),
  );
  const objects = alternatives.filter((tags) => tags !== undefined);
  const [first, ...others] = objects;
  if (!first || others.length === 0) return undefined;
  for (const tag of first.keys()) {
    const all = objects.map((tags) => tags.get(tag) ?? []);
    const flat = all.flat();
    if (all.every((values) => values.length > 0) && new Set(flat).size === flat.length)
      return { tag, values: alternatives.map((tags) => tags?.get(tag)) };
  }
  return undefined;
}

/** Whether nothing that fits a schema is an object. */
function isScalar(document: OpenApiDocument, schema: unknown): boolean {
  const { type } = schemaOf(document, schema);
  const types = Array.isArray(type) ? type : [type];
  return types.every((name) => typeof name === 'string' && name !== 'object');
}

/** The alternatives of a union; none for another schema. */
export function branchesOf(schema: Record<string, unknown>): unknown[] {
  const branches = schema.oneOf ?? schema.anyOf;
  return Array.isArray(branches) ? branches : [];
}

/** A union of unions is looked through so many times; it guards against unions of themselves. */
const DEEPEST_UNION = 8;

function tagsOf(document: OpenApiDocument, branch: unknown, depth: number): Tags {
  const schema = schemaOf(document, branch);
  const branches = branchesOf(schema);
  if (branches.length > 0) {
    if (depth >= DEEPEST_UNION) return new Map();
    const [first = new Map(), ...others] = branches.map((inner) => tagsOf(document, inner, depth + 1));
    const common: Tags = new Map();
    for (const [tag, values] of first)
      if (others.every((other) => other.has(tag)))
        common.set(tag, [...new Set([values, ...others.map((other) => other.get(tag) ?? [])].flat())]);
    return common;
  }
  const tags: Tags = new Map();
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return tags;
  for (const [name, property] of Object.entries(properties)) {
    const { const: constant, enum: closed } = schemaOf(document, property);
    const values = Array.isArray(closed) ? closed : [constant];
    if (required.includes(name) && values.every((value) => typeof value === 'string')) tags.set(name, values);
  }
  return tags;
}
