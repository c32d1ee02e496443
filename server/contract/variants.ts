import { isObject, type OpenApiDocument, schemaOf } from './document.ts';

/** The values that each tag of a schema may have: of its required properties with closed values. */
type Tags = Map<string, string[]>;

/** How the variants of a union are told apart: the tag, and the values of each variant. */
export interface Variants {
  tag: string;
  values: string[][];
}

/**
 * Finds the property that tells the variants of a union apart: required in each of them, with closed
 * values that no two of them share. Undefined where there is none.
 *
 * @param union a schema with `oneOf` or `anyOf`
 */
export function variantsOf(document: OpenApiDocument, union: Record<string, unknown>): Variants | undefined {
  const branches = branchesOf(union);
  if (branches.length < 2) return undefined;
  const [first, ...others] = branches.map((branch) => tagsOf(document, branch, 0));
  for (const [tag, values] of first ?? []) {
    const all = [values];
    for (const other of others) all.push(other.get(tag) ?? []);
    const flat = all.flat();
    if (all.every((some) => some.length > 0) && new Set(flat).size === flat.length)
      return { tag, values: all };
  }
  return undefined;
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
